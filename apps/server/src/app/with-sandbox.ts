import { listProviders, type Providers } from '../onramp/registry.ts'
import { openSandbox } from '../onramp/sandbox/open-sandbox.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'

/**
 * The providers with the card sandbox among them, where there is one. It is the last, so that it takes new sessions
 * only where no other provider is set up, or where it is named.
 *
 * It is made here and not with the others, since it needs the database and the service's own address.
 */
export function withSandbox(world: Runtime, config: CompleteConfig): Providers {
  const sandbox = openSandbox(world, config)
  return sandbox ? listProviders([...world.onramp.all, sandbox], config.onrampProvider) : world.onramp
}
