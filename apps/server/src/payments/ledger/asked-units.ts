import { type Cents, divideUp, type TokenUnits } from '@sluice/protocol/money.ts'
import { type Measure, missingUnits, type Worth, worthOfUnits } from './judge-payment.ts'

/** What people are asked to type has as many decimals at most; a token that has few anyway keeps its own. */
const typedDecimals = 6
const fewDecimals = 8

/** As {@link missingUnits}, as a buyer is asked for it: an amount that can be typed. */
export function askedUnits(total: Cents, payments: readonly Worth[], measure: Measure): TokenUnits {
  return typeableUnits(missingUnits(total, payments, measure), measure)
}

/**
 * An amount rounded up to one that people can type without a mistake: `0.008334`, not `0.008333333333333334`.
 *
 * Six decimals, or more where one more of the sixth would be worth a cent, so that what is asked is never a cent
 * too much; an amount that is smaller than that keeps six digits. What is more than due is the merchant's, and
 * is part of the excess of the payment.
 */
export function typeableUnits(units: TokenUnits, measure: Measure): TokenUnits {
  const { decimals } = measure.token
  if (decimals <= fewDecimals) return units
  let step = 10n ** BigInt(decimals - typedDecimals)
  while (worthOfUnits(step as TokenUnits, measure) > 0n) step /= 10n
  if (units < step) step = 10n ** BigInt(Math.max(0, units.toString().length - typedDecimals))
  return (divideUp(units, step) * step) as TokenUnits
}
