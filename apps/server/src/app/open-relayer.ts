import type { Cents } from '@sluice/protocol/money.ts'
import { Relayer, type RelayerNeeds } from '../payments/relaying/relayer.ts'
import { Facilitator } from '../payments/x402/facilitator.ts'
import type { Config } from '../platform/settings/config.ts'
import type { Runtime } from './runtime.ts'

/** The relayer of this deployment, one for requests and jobs; `undefined` where no key is configured. */
export function openRelayer(needs: RelayerNeeds, config: Config): Relayer | undefined {
  const { relayerKey, relayerMaxFee: maxFee, relayerDailyMax: dailyMax, relayerMinCents } = config
  return (
    relayerKey && new Relayer(needs, relayerKey, { maxFee, dailyMax, minCents: relayerMinCents as Cents })
  )
}

/** The facilitator that submits signed payments in a relayer's place; `undefined` where none is configured. */
export function openFacilitator(
  { chain, clock, services: outbound }: Pick<Runtime, 'chain' | 'clock' | 'services'>,
  { facilitatorUrl: url, facilitatorHeaders: headers }: Config,
): Facilitator | undefined {
  return url === undefined ? undefined : new Facilitator({ chain, clock, outbound }, { url, headers })
}
