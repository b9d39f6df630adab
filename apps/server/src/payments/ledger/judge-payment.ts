import { type Cents, divideUp, type RateE8, type TokenUnits } from '@sluice/protocol/money.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'

/** What of a payment decides about its worth. */
export type Worth = {
  readonly token: Pick<Token, 'decimals' | 'isStablecoin'>
  readonly units: TokenUnits
  readonly rate: RateE8
}

/** A rate to express worth in. */
type Measure = { readonly token: Pick<Token, 'decimals'>; readonly rate: RateE8 }

/** Worth is summed in 10^-24 cents, in which every rate of every token is a whole number, and rounded once. */
const finePerCent = 10n ** 24n

/**
 * Whether payments, over all attempts and each at its own rate, cover what the customer owes.
 *
 * Stablecoins have to cover it exactly. Of what other tokens are to pay, 0.1 % may be missing
 * (decisions: Payments on chain, Value): wallets round amounts of eighteen decimals.
 */
export function isEnough(total: Cents, payments: readonly Worth[]): boolean {
  return covers(total, sum(payments), sum(payments.filter((payment) => !payment.token.isStablecoin)))
}

function covers(total: Cents, worth: bigint, floating: bigint): boolean {
  const missing = total * finePerCent - worth
  if (missing <= 0n) return true
  return floating > 0n && missing * 1_000n <= floating + missing
}

/** Worth of payments in whole cents, rounded down once over their sum. */
export function worthInCents(payments: readonly Worth[]): Cents {
  return (sum(payments) / finePerCent) as Cents
}

/** What units are worth at `measure`, in whole cents, rounded down. */
export function worthOfUnits(units: TokenUnits, measure: Measure): Cents {
  return ((units * finePerUnit(measure)) / finePerCent) as Cents
}

/** The fewest units that, at `measure`, cover what payments leave open; zero where they cover it. */
export function missingUnits(total: Cents, payments: readonly Worth[], measure: Measure): TokenUnits {
  const missing = total * finePerCent - sum(payments)
  return (missing <= 0n ? 0n : divideUp(missing, finePerUnit(measure))) as TokenUnits
}

/** What payments are worth above `total`, in whole units at `measure`; zero where they are not. */
export function excessUnits(total: Cents, payments: readonly Worth[], measure: Measure): TokenUnits {
  const excess = sum(payments) - total * finePerCent
  return (excess <= 0n ? 0n : excess / finePerUnit(measure)) as TokenUnits
}

/**
 * Which of the payments that have become sure enough are credited, in the order of the chain: all until
 * the total is covered. The one that covers it may be more than was asked; those after it are surplus,
 * whenever they are judged, so that a late look gives the same result as an early one.
 *
 * @param credited - What was credited before.
 * @param sure - In the order of the chain.
 */
export function judgePayments<T extends Worth>(
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
