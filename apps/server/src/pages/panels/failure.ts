import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'

/** Limits of the service stay what they are; the merchant has to do something about them. */
const fixed: ReadonlySet<FailureCode> = new Set([
  'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM',
  'PORTAL_PAY_AMOUNT_BELOW_MINIMUM',
])

/** Whether the buyer of a failed receipt may be offered another way to pay it. */
export function canPayAgain(view: CheckoutView): boolean {
  const code = failureCodeOf(view)
  return view.canPay && view.cancelledAt === null && failures[code].retry !== 'no' && !fixed.has(code)
}

/** The code of the failure; the general one for a code of older data that nobody knows. */
export function failureCodeOf({ failure }: CheckoutView): FailureCode {
  return failure && Object.hasOwn(failures, failure.code)
    ? (failure.code as FailureCode)
    : 'PORTAL_PAYMENT_FAILED'
}
