import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'

const amountLimits: ReadonlySet<FailureCode> = new Set([
  'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM',
  'PORTAL_PAY_AMOUNT_BELOW_MINIMUM',
])

/** Whether it failed for its amount: at a provider alone, or here, where it cannot be paid at all. */
export function limitOf(view: CheckoutView): 'provider' | 'service' | undefined {
  if (!amountLimits.has(failureCodeOf(view))) return undefined
  return view.isWithinLimits ? 'provider' : 'service'
}

/**
 * Whether the buyer of a failed receipt may be offered another way to pay it. A provider that declines decides about
 * itself: a wallet needs none. After each of its declines the same is offered, so that nobody reads from a button which it
 * was.
 */
export function canPayAgain(view: CheckoutView): boolean {
  return view.canPay && view.cancelledAt === null && limitOf(view) !== 'service'
}

/** The code of the failure; the general one for a code of older data that nobody knows. */
export function failureCodeOf({ failure }: CheckoutView): FailureCode {
  return failure && Object.hasOwn(failures, failure.code)
    ? (failure.code as FailureCode)
    : 'PORTAL_PAYMENT_FAILED'
}
