import type { Cents } from '@sluice/protocol/money.ts'
import { GasAccounts } from '../chain/transactions/gas-accounts.ts'
import { openSender } from '../chain/transactions/transaction.ts'
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

/** The accounts of this deployment that pay for gas. */
export function openGasAccounts(needs: Pick<Runtime, 'chain' | 'log'>, config: Config): GasAccounts {
  const keys = { deployer: config.deployerKey, keeper: config.keeperKey, relayer: config.relayerKey }
  const accounts = Object.entries(keys).flatMap(([role, key]) =>
    key === undefined ? [] : [{ role, address: openSender(key).address }],
  )
  return new GasAccounts(needs, accounts)
}
