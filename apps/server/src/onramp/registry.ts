import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Log } from '../platform/log.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import { type Config, ConfigFault } from '../platform/settings/config.ts'
import type { OnrampProvider } from './provider.ts'
import { hasSandbox } from './sandbox/open-sandbox.ts'
import { openStripe } from './stripe/stripe-provider.ts'

/** What providers are made with. */
export type ProviderNeeds = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** To the provider's own servers. */
  readonly outbound: Outbound
}

/** The providers of this deployment. */
export type Providers = {
  /** Where new sessions are opened; `undefined` where cards and banks are not taken. */
  readonly current: OnrampProvider | undefined
  /** All that are set up, also those that only have old sessions to finish. */
  readonly all: readonly OnrampProvider[]
  find(name: string): OnrampProvider | undefined
}

/** Makes a provider, or nothing where its settings are not given. */
export type MakeProvider = (
  needs: ProviderNeeds,
  config: Config & { readonly masterKey: string },
) => OnrampProvider | undefined

/** Every provider of this release, one line each. */
const makers: readonly MakeProvider[] = [openStripe]

/**
 * The providers that the settings set up.
 *
 * @throws {ConfigFault} where the one that is to take payments is not among them.
 */
export function openProviders(needs: ProviderNeeds, config: Parameters<MakeProvider>[1]): Providers {
  const all = makers.map((make) => make(needs, config)).filter((made) => made !== undefined)
  const { onrampProvider: wanted } = config
  // The sandbox joins the others later: it needs the database.
  const names = ['none', ...all.map(({ name }) => name), ...(hasSandbox(config) ? ['sandbox'] : [])]
  if (wanted !== undefined && !names.includes(wanted))
    throw new ConfigFault(['ONRAMP_PROVIDER names a provider that is not set up'])
  return listProviders(all, wanted)
}

/** Providers that are made already; the first is the current one where none is named. */
export function listProviders(all: readonly OnrampProvider[], current: string | undefined): Providers {
  const find = (name: string) => all.find((each) => each.name === name)
  return { all, find, current: current === undefined ? all[0] : find(current) }
}
