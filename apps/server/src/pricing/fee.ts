import { type Cents, divideHalfAway } from '@sluice/protocol/money.ts'

/**
 * The processing fee on a total, half away from zero to the cent.
 *
 * @param feePctHundredths - Hundredths of a percent: `50n` is 0.50 %.
 */
export function processingFeeCents(total: Cents, feePctHundredths: bigint): Cents {
  return divideHalfAway(total * feePctHundredths, 10_000n) as Cents
}
