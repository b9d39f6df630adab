import { type Cents, type RateE8, type TokenUnits, tokenUnitsFor } from '@sluice/protocol/money.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

/** Money that moved within one transaction. */
export type RefundMove = {
  readonly token: Wallet
  readonly from: Wallet
  readonly to: Wallet
  readonly units: bigint
}

/** What a refund was logged as. */
export type RefundClaim = {
  /** Absent where nobody knows who had paid: any receiver will do. */
  readonly buyer: Wallet | undefined
  /** What is enough, in each token that would do. */
  readonly enough: ReadonlyMap<Wallet, TokenUnits>
}

/** Whether what moved is the refund that was logged. */
export type RefundVerdict =
  | { readonly kind: 'match' }
  | {
      readonly kind: 'mismatch'
      readonly fault: 'nothing went to the buyer' | 'another token' | 'too little'
    }

/**
 * Whether a transaction gives the buyer at least what was logged, in one token. Pure.
 *
 * What a wallet sends to itself is nobody's refund.
 */
export function judgeRefund(claim: RefundClaim, moves: readonly RefundMove[]): RefundVerdict {
  const toBuyer = moves.filter(
    ({ from, to, units }) => units > 0n && from !== to && (!claim.buyer || to === claim.buyer),
  )
  if (toBuyer.length === 0) return { kind: 'mismatch', fault: 'nothing went to the buyer' }
  const sums = new Map<Wallet, bigint>()
  for (const { token, units } of toBuyer)
    if (claim.enough.has(token)) sums.set(token, (sums.get(token) ?? 0n) + units)
  if (sums.size === 0) return { kind: 'mismatch', fault: 'another token' }
  const isEnough = [...sums].some(([token, units]) => units >= (claim.enough.get(token) ?? units + 1n))
  return isEnough ? { kind: 'match' } : { kind: 'mismatch', fault: 'too little' }
}

/** A token that is no stablecoin may fall short by a hundredth: its price moves while somebody signs. */
const tolerance = { of: 100n, least: 99n }

/**
 * What of a token is worth a refund: at the rate it was paid at or at the one of now, whichever asks for less.
 * `undefined` without a rate.
 */
export function enoughUnits(
  cents: Cents,
  token: Pick<Token, 'decimals' | 'isStablecoin'>,
  rates: readonly (RateE8 | undefined)[],
): TokenUnits | undefined {
  const known = rates.filter((rate) => rate !== undefined && rate > 0n) as RateE8[]
  const [first, ...others] = known
  if (first === undefined) return undefined
  const highest = others.reduce((top, rate) => (rate > top ? rate : top), first)
  const units = tokenUnitsFor(cents, highest, token.decimals)
  return (token.isStablecoin ? units : (units * tolerance.least) / tolerance.of) as TokenUnits
}
