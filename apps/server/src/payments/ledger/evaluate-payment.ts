import { type Cents, divideUp, type RateE8, type TokenUnits } from '@sluice/protocol/money.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'

export type Worth = {
  readonly token: Pick<Token, 'decimals' | 'isStablecoin'>
  readonly units: TokenUnits
  readonly rate: RateE8
}

type Measure = { readonly token: Pick<Token, 'decimals'>; readonly rate: RateE8 }

/**
 * Worth is summed in units of 10^-24 cents, in which every token's rate is an integer. The sum is rounded
 * once.
 */
const finePerCent = 10n ** 24n

/**
 * Checks if the payments, each at its own rate, cover the total. Stablecoins must cover it exactly. Of the
 * part due in other tokens, 0.1 % may be missing, because wallets round amounts with 18 decimals.
 *
 * See docs/contract.md#matching-payments.
 */
export function isEnough(total: Cents, payments: readonly Worth[]): boolean {
  return covers(total, sum(payments), sum(payments.filter((payment) => !payment.token.isStablecoin)))
}

function covers(total: Cents, worth: bigint, floating: bigint): boolean {
  const missing = total * finePerCent - worth
  if (missing <= 0n) return true
  return floating > 0n && missing * 1_000n <= floating + missing
}

/** Returns the worth in whole cents, rounded down once over the sum. */
export function worthInCents(payments: readonly Worth[]): Cents {
  return (sum(payments) / finePerCent) as Cents
}

export function worthOfUnits(units: TokenUnits, measure: Measure): Cents {
  return ((units * finePerUnit(measure)) / finePerCent) as Cents
}

/**
 * Returns the minimum number of units that covers the remaining amount; zero if the payments cover the total.
 */
export function missingUnits(total: Cents, payments: readonly Worth[], measure: Measure): TokenUnits {
  const missing = total * finePerCent - sum(payments)
  return (missing <= 0n ? 0n : divideUp(missing, finePerUnit(measure))) as TokenUnits
}

export function excessUnits(total: Cents, payments: readonly Worth[], measure: Measure): TokenUnits {
  const excess = sum(payments) - total * finePerCent
  return (excess <= 0n ? 0n : excess / finePerUnit(measure)) as TokenUnits
}

/**
 * Decides which payments to credit: in chain order, all payments until the total is covered. The payment that
 * completes the total may exceed it; later payments are surplus. Several calls, each with some of the
 * payments, give the same result as a single call.
 *
 * @param credited - Payments credited earlier.
 * @param sure - Payments with the required finality, in chain order.
 */
export function evaluatePayments<T extends Worth>(
  total: Cents,
  credited: readonly Worth[],
  sure: readonly T[],
): { readonly credit: readonly T[]; readonly surplus: readonly T[]; readonly isEnough: boolean } {
  let worth = 0n
  let floating = 0n
  const count = (payment: Worth) => {
    const fine = payment.units * finePerUnit(payment)
    worth += fine
    if (!payment.token.isStablecoin) floating += fine
  }
  for (const payment of credited) count(payment)
  const credit: T[] = []
  const surplus: T[] = []
  for (const payment of sure) {
    if (payment.rate === 0n || covers(total, worth, floating)) {
      surplus.push(payment)
    } else {
      count(payment)
      credit.push(payment)
    }
  }
  return { credit, surplus, isEnough: covers(total, worth, floating) }
}

function sum(payments: readonly Worth[]): bigint {
  return payments.reduce((total, payment) => total + payment.units * finePerUnit(payment), 0n)
}

function finePerUnit({ token, rate }: Measure): bigint {
  return rate * 10n ** BigInt(18 - token.decimals)
}

const typedDecimals = 6
const fewDecimals = 8

export function askedUnits(total: Cents, payments: readonly Worth[], measure: Measure): TokenUnits {
  return typeableUnits(missingUnits(total, payments, measure), measure)
}

/**
 * Rounds an amount up so that a buyer can type it: `0.008334`, not `0.008333333333333334`.
 *
 * Keeps six decimals, or more if a unit of the sixth decimal is worth a cent, so that the buyer overpays by
 * less than a cent. Smaller amounts keep six significant digits. The merchant keeps the excess.
 */
export function typeableUnits(units: TokenUnits, measure: Measure): TokenUnits {
  const { decimals } = measure.token
  if (decimals <= fewDecimals) return units
  let step = 10n ** BigInt(decimals - typedDecimals)
  while (worthOfUnits(step as TokenUnits, measure) > 0n) step /= 10n
  if (units < step) step = 10n ** BigInt(Math.max(0, units.toString().length - typedDecimals))
  return (divideUp(units, step) * step) as TokenUnits
}
