declare const unit: unique symbol

/** US cents, or cents of a receipt's own currency if the name says so. May be negative. */
export type Cents = bigint & { readonly [unit]: 'Cents' }

/** Base units of a token: wei, or 10^-6 USDC. */
export type TokenUnits = bigint & { readonly [unit]: 'TokenUnits' }

/** US dollars per whole token or currency unit, times 10^8. Positive. */
export type RateE8 = bigint & { readonly [unit]: 'RateE8' }

/** Basis points, an integer from 0 to 10000: `50` is 0.50%. */
export type Bps = number & { readonly [unit]: 'Bps' }

export type MoneyError = 'not-a-number' | 'not-finite' | 'too-large' | 'too-many-decimals'

export const maxCents = 100_000_000_000n

/**
 * Reads cents from a wire number with at most two decimals.
 *
 * Uses the number's shortest decimal text instead of float arithmetic: `0.1 + 0.2` is rejected for its
 * seventeen digits, `0.3` is 30 cents.
 *
 * See docs/contract.md#amounts-and-rounding.
 */
export function readCents(value: unknown): Cents | MoneyError {
  const digits = readDecimal(value, 2)
  if (typeof digits === 'string') return digits
  return digits > maxCents || digits < -maxCents ? 'too-large' : (digits as Cents)
}

/** Writes cents as a wire number. Exact up to 2^53 cents, far above `maxCents`. */
export function writeCents(cents: Cents): number {
  return writeUnits(cents, 2)
}

/** Same as {@link readCents}, but rounds further decimals half away from zero. For legacy `priceUsd` only. */
export function readCentsRounded(value: unknown): Cents | MoneyError {
  const exact = readCents(value)
  if (exact !== 'too-many-decimals') return exact
  const fine = readDecimal(value, 340)
  if (typeof fine === 'string') return fine
  const rounded = divideHalfAway(fine, 10n ** 338n)
  return rounded > maxCents || rounded < -maxCents ? 'too-large' : (rounded as Cents)
}

/** Reads a wire number as an integer of 10^-`decimals` units. Never rounds. */
export function readDecimal(value: unknown, decimals: number): bigint | MoneyError {
  if (typeof value !== 'number') return 'not-a-number'
  if (!Number.isFinite(value)) return 'not-finite'
  return readShort(value, decimals) ?? readDigits(value, decimals)
}

/** Largest `n` for which 10^0 to 10^n are exact doubles. */
const maxExactPower = 22
/** Far below 2^53, so that decimals one unit apart are distinct doubles. */
const maxShort = 1e14

/** Fast path. A match is unique, because the number of units is at most `maxShort`. */
function readShort(value: number, decimals: number): bigint | undefined {
  if (decimals > maxExactPower) return undefined
  const power = 10 ** decimals
  const units = Math.round(value * power)
  return Math.abs(units) <= maxShort && units / power === value ? BigInt(units) : undefined
}

function readDigits(value: number, decimals: number): bigint | MoneyError {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))
  if (!match) return 'not-a-number'
  const [, sign, whole = '', fraction = '', power = '0'] = match
  const shift = decimals - fraction.length + Number(power)
  if (Number(power) > 21) return 'too-large'
  const digits = BigInt(whole + fraction)
  if (digits === 0n) return 0n
  if (shift < 0) return 'too-many-decimals'
  const scaled = digits * 10n ** BigInt(shift)
  return sign ? -scaled : scaled
}

/** Formats an integer of 10^-`decimals` units without trailing zeros: `1500000n, 6` is `1.5`. */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return sign + whole + (fraction ? `.${fraction}` : '')
}

/** Returns the nearest wire number. Also send the exact base units, in `amountRaw`. */
export function writeTokenAmount(units: TokenUnits, decimals: number): number {
  return writeUnits(units, decimals)
}

/** A quotient of two exact doubles is the nearest double, because the division rounds only once. */
function writeUnits(units: bigint, decimals: number): number {
  const exact = Number(units)
  return Number.isSafeInteger(exact) && decimals <= maxExactPower
    ? exact / 10 ** decimals
    : Number(formatUnits(units, decimals))
}

/** Divides and rounds half away from zero. `divisor` must be positive. */
export function divideHalfAway(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend
  const rounded = (2n * magnitude + divisor) / (2n * divisor)
  return dividend < 0n ? -rounded : rounded
}

/** Divides and rounds up. `dividend` must not be negative, `divisor` must be positive. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

/**
 * Returns the fewest base units worth at least `cents` at `rate`. Rounds up, so that the merchant never
 * receives less than the amount due. The buyer pays the remainder, less than one base unit.
 */
export function tokenUnitsFor(cents: Cents, rate: RateE8, decimals: number): TokenUnits {
  return divideUp(cents * 10n ** BigInt(decimals + 6), rate) as TokenUnits
}

/**
 * Splits `total` in the ratio of `shares`, in the same order.
 *
 * Truncates each part. The largest share gets the remainder, so the parts always add up.
 *
 * @param shares - Non-empty. Must add up to 10000.
 */
export function allot(total: bigint, shares: readonly Bps[]): bigint[] {
  const parts = shares.map((share) => (total * BigInt(share)) / 10_000n)
  const given = parts.reduce((sum, part) => sum + part, 0n)
  const largest = shares.indexOf(Math.max(...shares) as Bps)
  return parts.map((part, i) => (i === largest ? part + total - given : part))
}
