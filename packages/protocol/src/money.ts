declare const unit: unique symbol

/** US cents (or, where a name says so, cents of a receipt's own currency). May be negative. */
export type Cents = bigint & { readonly [unit]: 'Cents' }

/** Base units of a token: wei, or 10^-6 USDC. */
export type TokenUnits = bigint & { readonly [unit]: 'TokenUnits' }

/** US dollars for one whole token (or one unit of a currency), times 10^8. Positive. */
export type RateE8 = bigint & { readonly [unit]: 'RateE8' }

/** Basis points, integer 0–10000: `50` is 0.50%. */
export type Bps = number & { readonly [unit]: 'Bps' }

/** Why a wire number is no amount. */
export type MoneyFault = 'not-a-number' | 'not-finite' | 'too-large' | 'too-many-decimals'

/** The largest amount taken, either side of zero, in cents: 10^9 units. */
export const maxCents = 100_000_000_000n

/**
 * Cents behind a wire number of at most two decimals.
 *
 * Works on the number's shortest decimal text, never by arithmetic on floats:
 * `0.1 + 0.2` is refused by its seventeen digits, `0.3` is 30 cents.
 */
export function readCents(value: unknown): Cents | MoneyFault {
  const digits = readDecimal(value, 2)
  if (typeof digits === 'string') return digits
  return digits > maxCents || digits < -maxCents ? 'too-large' : (digits as Cents)
}

/** Cents as a wire number. Exact up to 2^53 cents, far above `maxCents`. */
export function writeCents(cents: Cents): number {
  return writeUnits(cents, 2)
}

/** As {@link readCents}, but rounds further decimals half away from zero: for legacy `priceUsd` only. */
export function readCentsRounded(value: unknown): Cents | MoneyFault {
  const exact = readCents(value)
  if (exact !== 'too-many-decimals') return exact
  const fine = readDecimal(value, 340)
  if (typeof fine === 'string') return fine
  const rounded = divideHalfAway(fine, 10n ** 338n)
  return rounded > maxCents || rounded < -maxCents ? 'too-large' : (rounded as Cents)
}

/** An integer of 10^-`decimals` units behind a wire number, or the fault. No rounding. */
export function readDecimal(value: unknown, decimals: number): bigint | MoneyFault {
  if (typeof value !== 'number') return 'not-a-number'
  if (!Number.isFinite(value)) return 'not-finite'
  return readShort(value, decimals) ?? readDigits(value, decimals)
}

/** The powers of ten up to this one are doubles. */
const maxExactPower = 22
/** Far below 2^53: of two decimals that are one such unit apart, no two are the same double. */
const maxShort = 1e14

/**
 * What nearly every amount is: the units whose exact quotient, rounded once, is that very double. Of decimals with so few
 * digits no other is.
 */
function readShort(value: number, decimals: number): bigint | undefined {
  if (decimals > maxExactPower) return undefined
  const power = 10 ** decimals
  const units = Math.round(value * power)
  return Math.abs(units) <= maxShort && units / power === value ? BigInt(units) : undefined
}

function readDigits(value: number, decimals: number): bigint | MoneyFault {
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

/** Decimal text of an integer of 10^-`decimals` units, without trailing zeros: `1500000n, 6` is `1.5`. */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return sign + whole + (fraction ? `.${fraction}` : '')
}

/** A token amount as the nearest wire number; `amountRaw` beside it carries the exact base units. */
export function writeTokenAmount(units: TokenUnits, decimals: number): number {
  return writeUnits(units, decimals)
}

/** The wire number nearest to `units` of 10^-`decimals`: one division of two exact numbers is rounded once. */
function writeUnits(units: bigint, decimals: number): number {
  const exact = Number(units)
  return Number.isSafeInteger(exact) && decimals <= maxExactPower
    ? exact / 10 ** decimals
    : Number(formatUnits(units, decimals))
}

/** `dividend / divisor` rounded half away from zero. `divisor` is positive. */
export function divideHalfAway(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend
  const rounded = (2n * magnitude + divisor) / (2n * divisor)
  return dividend < 0n ? -rounded : rounded
}

/** `dividend / divisor` rounded up. Both are not negative, `divisor` is positive. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

/**
 * The fewest base units of a token that are worth `cents` at `rate`: rounded up, so the
 * merchant never gets less than asked for; the remainder (under one base unit) is the buyer's.
 */
export function tokenUnitsFor(cents: Cents, rate: RateE8, decimals: number): TokenUnits {
  return divideUp(cents * 10n ** BigInt(decimals + 6), rate) as TokenUnits
}

/**
 * Parts of `total` in the ratio of `shares`, in the same order.
 *
 * Each part is truncated and the largest share takes the remainder, so the parts always add up.
 *
 * @param shares - Non-empty; must add up to 10000.
 */
export function allot(total: bigint, shares: readonly Bps[]): bigint[] {
  const parts = shares.map((share) => (total * BigInt(share)) / 10_000n)
  const given = parts.reduce((sum, part) => sum + part, 0n)
  const largest = shares.indexOf(Math.max(...shares) as Bps)
  return parts.map((part, i) => (i === largest ? part + total - given : part))
}
