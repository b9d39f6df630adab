import { type Cents, divideHalfAway, type RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../kernel/assert.ts'
import { oneDollar, type Rate } from './rates/rate.ts'

/** Rate that permanently values a native receipt. */
export type Valuation = {
  readonly version: 1
  readonly currency: 'USD' | 'EUR'
  readonly usdPerUnit: RateE8
  readonly quotedAt: UnixMs
  readonly provider: string
}

/** Value of a native receipt in US cents. The lines always add up to the total. */
export type ReceiptValue = {
  readonly valuation: Valuation
  readonly lines: readonly Cents[]
  readonly total: Cents
}

/** Returns the rate of a receipt in USD, which is one. */
export function identityRate(quotedAt: UnixMs): Pick<Rate, 'usdPerUnit' | 'quotedAt' | 'provider'> {
  return { usdPerUnit: oneDollar, quotedAt, provider: 'identity' }
}

/**
 * Values native line amounts (extended, in cents of `currency`) in US cents.
 *
 * Converts the native total and each line once, half away from zero. The largest line (the first of several)
 * gets the difference.
 *
 * See docs/contract.md#amounts-and-rounding.
 */
export function valueReceipt(
  native: { readonly currency: 'USD' | 'EUR'; readonly lines: readonly Cents[] },
  rate: Pick<Rate, 'usdPerUnit' | 'quotedAt' | 'provider'>,
): ReceiptValue {
  assert(native.lines.length > 0, 'a receipt has lines')
  const { usdPerUnit, quotedAt, provider } = rate
  const inUsd = (cents: bigint) => divideHalfAway(cents * usdPerUnit, oneDollar)
  const total = inUsd(sum(native.lines))
  return {
    valuation: { version: 1, currency: native.currency, usdPerUnit, quotedAt, provider },
    lines: shareRemainder(native.lines, native.lines.map(inUsd), total),
    total: total as Cents,
  }
}

/** Adjusts `converted` to add up to `total`. The largest line (the first of several) gets the remainder. */
export function shareRemainder(
  original: readonly bigint[],
  converted: readonly bigint[],
  total: bigint,
): Cents[] {
  const remainder = total - sum(converted)
  const largest = indexOfLargest(original)
  return converted.map((cents, i) => (i === largest ? cents + remainder : cents) as Cents)
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function indexOfLargest(amounts: readonly bigint[]): number {
  const sizes = amounts.map((amount) => (amount < 0n ? -amount : amount))
  return sizes.reduce((best, size, i) => (size > (sizes[best] ?? 0n) ? i : best), 0)
}

/**
 * Returns the processing fee on a total, rounded half away from zero to the cent.
 *
 * @param feePctHundredths - Hundredths of a percent: `50n` is 0.50 %.
 */
export function processingFeeCents(total: Cents, feePctHundredths: bigint): Cents {
  return divideHalfAway(total * feePctHundredths, 10_000n) as Cents
}

/**
 * Converts US cents to a receipt's own currency at its rate. Inverse of {@link valueReceipt}, with the same
 * rounding: the largest line (the first of several) gets the difference.
 */
export function nativeFromUsd(
  usd: readonly Cents[],
  usdPerUnit: RateE8,
): { readonly lines: readonly Cents[]; readonly total: Cents } {
  const inNative = (cents: bigint) => divideHalfAway(cents * oneDollar, usdPerUnit)
  const total = inNative(usd.reduce((sum, cents) => sum + cents, 0n as bigint)) as Cents
  return { lines: shareRemainder(usd, usd.map(inNative), total), total }
}
