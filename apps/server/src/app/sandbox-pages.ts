import { hasSandbox } from '../onramp/sandbox/open-sandbox.ts'
import { paySession } from '../onramp/sandbox/pay-session.ts'
import { findSandboxSession } from '../onramp/sandbox/store.ts'
import type { SandboxPages } from '../pages/sandbox/register-sandbox.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'

/** What the hosted page of the card sandbox shows and does; nothing where there is no sandbox. */
export function sandboxPages(world: Runtime, config: CompleteConfig): SandboxPages | undefined {
  if (!hasSandbox(config)) return undefined
  return {
    find: (id) => findSandboxSession(world.db, id),
    pay: (id, outcome) => paySession(world, id, outcome),
    networkName: world.chain.name,
  }
}
