import { type Cents, divideHalfAway, type RateE8 } from '@sluice/protocol/money.ts'
import { oneDollar } from './rates/rate.ts'
import { shareRemainder } from './valuation.ts'

/**
 * Line amounts in a receipt's own currency that stand for amounts in US cents, at the receipt's rate: the way
 * back of `valueReceipt`, with the same rounding.
 *
 * The total is the sum in dollars converted once, half away from zero, and so is each line; the cents by which
 * they then differ go to the largest line (the first of several).
 */
export function nativeFromUsd(
  usd: readonly Cents[],
  usdPerUnit: RateE8,
): { readonly lines: readonly Cents[]; readonly total: Cents } {
  const inNative = (cents: bigint) => divideHalfAway(cents * oneDollar, usdPerUnit)
  const total = inNative(usd.reduce((sum, cents) => sum + cents, 0n as bigint)) as Cents
  return { lines: shareRemainder(usd, usd.map(inNative), total), total }
}
