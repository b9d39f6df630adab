import type { Cents } from '@sluice/protocol/money.ts'
import { Relayer, type RelayerNeeds } from '../payments/relaying/relayer.ts'
import type { Config } from '../platform/settings/config.ts'

/** The relayer of this deployment, one for requests and jobs; `undefined` where no key is configured. */
export function openRelayer(needs: RelayerNeeds, config: Config): Relayer | undefined {
  const { relayerKey, relayerMaxFee: maxFee, relayerDailyMax: dailyMax, relayerMinCents } = config
  return (
    relayerKey && new Relayer(needs, relayerKey, { maxFee, dailyMax, minCents: relayerMinCents as Cents })
  )
}
