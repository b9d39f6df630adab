import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Log } from '../platform/log.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import { type Config, ConfigError } from '../platform/settings/config.ts'
import type { OnrampProvider } from './provider.ts'
import { hasSandbox } from './sandbox/open-sandbox.ts'
import { openStripe } from './stripe/stripe-provider.ts'

export type ProviderNeeds = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly outbound: Outbound
}

export type Providers = {
  /** Provider for new sessions, or `undefined` if card and bank payments are disabled. */
  readonly current: OnrampProvider | undefined
  /** All configured providers. Some only complete old sessions. */
  readonly all: readonly OnrampProvider[]
  find(name: string): OnrampProvider | undefined
}

export type MakeProvider = (
  needs: ProviderNeeds,
  config: Config & { readonly masterKey: string },
) => OnrampProvider | undefined

const makers: readonly MakeProvider[] = [openStripe]

/**
 * Creates the providers that the settings configure.
 *
 * @throws {ConfigFault} if `ONRAMP_PROVIDER` names a provider that is not configured.
 */
export function openProviders(needs: ProviderNeeds, config: Parameters<MakeProvider>[1]): Providers {
  const all = makers.map((make) => make(needs, config)).filter((made) => made !== undefined)
  const { onrampProvider: wanted } = config
  // The sandbox is added later, because it needs the database.
  const names = ['none', ...all.map(({ name }) => name), ...(hasSandbox(config) ? ['sandbox'] : [])]
  if (wanted !== undefined && !names.includes(wanted))
    throw new ConfigError(['ONRAMP_PROVIDER is set to a provider that is not configured'])
  return listProviders(all, wanted)
}

export function listProviders(all: readonly OnrampProvider[], current: string | undefined): Providers {
  const find = (name: string) => all.find((each) => each.name === name)
  return { all, find, current: current === undefined ? all[0] : find(current) }
}
