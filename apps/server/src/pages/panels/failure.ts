import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'

/** Limits of the service stay what they are; the merchant has to do something about them. */
const fixed: ReadonlySet<FailureCode> = new Set([
  'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM',
  'PORTAL_PAY_AMOUNT_BELOW_MINIMUM',
])

/**
 * No provider is asked again after these, and the catalogue suggests another way: a wallet. Of the blocked transaction
 * the merchant offers one, not this page: it must look as after a match on a list, and nobody is to read from a button
 * which of the two it was. Who is under age, or on a list, is offered none.
 */
const byWallet: ReadonlySet<FailureCode> = new Set([
  'PORTAL_PAY_RISK_BLOCKED',
  'PORTAL_PAY_UNSUPPORTED_JURISDICTION',
])

/** Whether the buyer of a failed receipt may be offered another way to pay it. */
export function canPayAgain(view: CheckoutView): boolean {
  const code = failureCodeOf(view)
  if (!view.canPay || view.cancelledAt !== null || fixed.has(code)) return false
  return failures[code].retry !== 'no' || byWallet.has(code)
}

/** The code of the failure; the general one for a code of older data that nobody knows. */
export function failureCodeOf({ failure }: CheckoutView): FailureCode {
  return failure && Object.hasOwn(failures, failure.code)
    ? (failure.code as FailureCode)
    : 'PORTAL_PAYMENT_FAILED'
}
