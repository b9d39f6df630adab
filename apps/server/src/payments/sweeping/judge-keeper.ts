import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import { readSweepCosts } from './price-sweeps.ts'

/** How many transactions the keeper should be able to pay for at the fees of now. */
const transactionsAhead = 50n
/** What a transaction that moves deposits carries, as a rule. */
const sweepsEach = 4n

/** Whether the wallet that moves everybody's deposits and pays out the shares can go on paying for it. */
export type KeeperStanding =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'enough' | 'low'
      readonly address: Wallet
      /** In the smallest units of the chain's coin. */
      readonly balance: bigint
      readonly wanted: bigint
    }

/** Asks the chain what the keeper has, and what it needs at the fees of now. */
export async function judgeKeeper(chain: Chain, keeper: Wallet | undefined): Promise<KeeperStanding> {
  if (keeper === undefined) return { kind: 'none' }
  const [[balance = 0n], costs] = await Promise.all([
    chain.readBalances([keeper], 'latest'),
    readSweepCosts({ chain }),
  ])
  const wanted = transactionsAhead * (costs.perTransaction + sweepsEach * costs.perSweep)
  return { kind: balance < wanted ? 'low' : 'enough', address: keeper, balance, wanted }
}
