import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Account, sum } from './account.ts'
import type { BookedAmount } from './ledger.ts'
import type { Traced } from './trace-hidden.ts'

export type Line = {
  readonly merchant: Wallet
  /** Unset for ledger entries without an arrival on the chain. */
  readonly split: Wallet | undefined
  readonly token: Wallet
  readonly atDeposits: bigint
  readonly direct: bigint
  readonly heldByDeposits: bigint
  readonly swept: bigint
  readonly heldBySplit: bigint
  readonly released: bigint
  readonly credited: bigint
  readonly seen: bigint
  readonly unmatched: bigint
  readonly refunded: bigint
}

const empty = {
  ...{ atDeposits: 0n, direct: 0n, heldByDeposits: 0n, swept: 0n, heldBySplit: 0n, released: 0n },
  ...{ credited: 0n, seen: 0n, unmatched: 0n, refunded: 0n },
}

export function makeLines(
  accounts: readonly Account[],
  traced: Traced,
  booked: readonly BookedAmount[],
): Line[] {
  const lines = new Map<string, { -readonly [Key in keyof Line]: Line[Key] }>()
  const lineOf = (merchant: Wallet, split: Wallet | undefined, token: Wallet) => {
    const key = `${merchant} ${split} ${token}`
    const line = lines.get(key) ?? { merchant, split, token, ...empty }
    lines.set(key, line)
    return line
  }
  const deposits = new Map<string, Wallet>()
  const arrivedAt = Map.groupBy(traced.arrived, ({ account }) => account)
  for (const account of accounts) {
    const { merchant, split, token, kind, owner } = account
    const line = lineOf(merchant, split, token)
    const { held, released } = traced.holdings.get(account) ?? { held: 0n, released: 0n }
    const received = traced.received.get(account) ?? 0n
    if (kind === 'deposit') {
      deposits.set(owner.toLowerCase(), split)
      line.heldByDeposits += held
      line.atDeposits += received
      line.swept += received - held
    } else {
      line.heldBySplit += held
      line.released += released
      line.direct += sum(arrivedAt.get(account) ?? [])
    }
  }
  const splitOf = new Map(
    traced.arrived.map(({ account, txHash }) => [
      `${account.merchant} ${account.token} ${txHash}`,
      account.split,
    ]),
  )
  for (const { merchant, token, txHash, address, place, amount } of booked) {
    const split = splitOf.get(`${merchant} ${token} ${txHash}`) ?? deposits.get(address.toLowerCase())
    lineOf(merchant, split, token)[place] += amount
  }
  return [...lines.values()].filter((line) =>
    Object.values(line).some((value) => typeof value === 'bigint' && value > 0n),
  )
}
