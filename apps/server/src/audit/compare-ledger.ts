import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import { sum } from './account.ts'
import type { ArrivedAmount } from './arrival.ts'
import type { BookedAmount } from './ledger.ts'

/** A transaction for which the chain and the ledger differ. For forced money, `hash` is the block hash. */
export type DifferingTransaction = {
  readonly hash: Hex
  readonly blockNumber: bigint
  readonly chain: bigint
  readonly ledger: bigint
  readonly where: readonly string[]
}

export type Difference = {
  readonly merchant: Wallet
  readonly token: Wallet
  readonly chain: bigint
  readonly ledger: bigint
  readonly transactions: readonly DifferingTransaction[]
}

export function compareTransactions(
  arrived: readonly ArrivedAmount[],
  booked: readonly BookedAmount[],
): Difference[] {
  const groups = new Map<string, { arrived: ArrivedAmount[]; booked: BookedAmount[] }>()
  // Also grouped by receipt: an amount under the wrong receipt is a difference even if the sum matches.
  const groupOf = (merchant: Wallet, token: Wallet, hash: Hex, receiptId: string | undefined) => {
    const key = `${merchant} ${token} ${hash} ${receiptId}`
    const group = groups.get(key) ?? { arrived: [], booked: [] }
    groups.set(key, group)
    return group
  }
  for (const each of arrived)
    groupOf(each.account.merchant, each.account.token, each.txHash, each.receiptId).arrived.push(each)
  for (const each of booked) groupOf(each.merchant, each.token, each.txHash, each.receiptId).booked.push(each)

  const differences = new Map<string, Difference>()
  for (const [key, group] of groups) {
    const [chain, ledger] = [sum(group.arrived), sum(group.booked)]
    if (chain === ledger) continue
    const [merchant, token, hash] = key.split(' ') as [Wallet, Wallet, Hex]
    const blockNumber = group.arrived[0]?.blockNumber ?? group.booked[0]?.blockNumber ?? 0n
    const where = [...group.arrived.map(describeArrived), ...group.booked.map(describeBooked)]
    add(differences, { merchant, token }, { hash, blockNumber, chain, ledger, where })
  }
  return [...differences.values()]
}

export function add(
  differences: Map<string, Difference>,
  { merchant, token }: { merchant: Wallet; token: Wallet },
  transaction: DifferingTransaction,
): void {
  const key = `${merchant} ${token}`
  const before = differences.get(key) ?? { merchant, token, chain: 0n, ledger: 0n, transactions: [] }
  differences.set(key, {
    ...before,
    chain: before.chain + transaction.chain,
    ledger: before.ledger + transaction.ledger,
    transactions: [...before.transactions, transaction],
  })
}

export function describeArrived({ account, how, amount }: ArrivedAmount): string {
  const words = {
    token: 'arrived at deposit',
    called: 'was paid to split',
    swept: 'was swept from an unknown deposit address to split',
    plain: 'arrived by plain transfer at split',
    forced: 'arrived without a log at split',
  }
  return `${amount} ${words[how]} ${account.owner}`
}

export function describeBooked({ place, subject, amount }: BookedAmount): string {
  const words = {
    credited: 'credited to receipt',
    seen: 'seen for receipt',
    unmatched: 'unmatched as',
    refunded: 'refunded as unmatched payment',
  }
  return `${amount} ${words[place]} ${subject}`
}
