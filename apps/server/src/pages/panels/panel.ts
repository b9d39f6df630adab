import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { normaliseStatus, type ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { isPast } from '../../receipts/receipt.ts'

/** State of the checkout's payment section. Exactly one panel is shown. */
export type Panel =
  | 'pay'
  | 'short'
  | 'expired'
  /** Partly paid, and the quote for the remaining amount has expired. */
  | 'short-expired'
  /** Money arrived, but the receipt can no longer be paid in full. Requires a manual decision. */
  | 'expired-funds'
  | 'receipt-expired'
  /** Payable, but without an offer. */
  | 'no-offer'
  | 'cancelled'
  | 'cannot-pay'
  /** The amount is outside the service's limits. */
  | 'out-of-limits'
  /** The buyer returned from the card provider, whose result is pending. */
  | 'provider'
  | 'pending'
  /** The buyer signed, and the service submits the transaction. */
  | 'relaying'
  | 'orphaned'
  | 'paid'
  | 'overpaid'
  | 'paid-late'
  | 'bank-pending'
  | 'failed'
  | 'refund-requested'
  | 'refunded'
  | 'partly-refunded'

const quotable: ReadonlySet<Panel> = new Set(['pay', 'short', 'expired', 'short-expired', 'no-offer'])
const paid: ReadonlySet<Panel> = new Set(['paid', 'overpaid', 'paid-late'])
const closed: ReadonlySet<Panel> = new Set([
  'paid',
  'overpaid',
  'paid-late',
  'partly-refunded',
  'refunded',
  'receipt-expired',
])

export function isPayable(panel: Panel): panel is 'pay' | 'short' {
  return panel === 'pay' || panel === 'short'
}

export function isQuotable(panel: Panel): boolean {
  return quotable.has(panel)
}

export function isPaid(panel: Panel): boolean {
  return paid.has(panel)
}

/** True if no further change is expected, so that the page need not poll. */
export function isClosed(panel: Panel): boolean {
  return closed.has(panel)
}

/** Returns the panel of a receipt at `now`. An unknown status counts as unpaid. */
export function evaluatePanel(view: CheckoutView, now: UnixMs): Panel {
  const status: ReceiptStatus = normaliseStatus(view.status) ?? 'pending'
  const state = view.payment.state
  switch (status) {
    case 'refunded':
      return 'refunded'
    case 'refund_requested':
      return 'refund-requested'
    case 'failed':
      return evaluateFailed(view, now)
    case 'paid - ach pending':
      return 'bank-pending'
    case 'paid':
    case 'reconciled':
      if (state === 'orphaned') return 'orphaned'
      if (view.refundedUsd > 0) return 'partly-refunded'
      if (state === 'over') return 'overpaid'
      return state === 'late' ? 'paid-late' : 'paid'
    case 'generated':
    case 'pending':
      return evaluateUnpaid(view, now)
  }
}

/**
 * A failed receipt can still be paid. If money has arrived since the failure, the state of that money is
 * shown instead.
 */
function evaluateFailed(view: CheckoutView, now: UnixMs): Panel {
  if (BigInt(view.payment.received) > 0n) return evaluateUnpaid(view, now)
  return limitOf(view) === 'service' ? 'out-of-limits' : 'failed'
}

function evaluateUnpaid(view: CheckoutView, now: UnixMs): Panel {
  const { state } = view.payment
  const hasFunds = BigInt(view.payment.received) > 0n
  if (state === 'seen' || state === 'paid' || state === 'over') return 'pending'
  if (state === 'orphaned') return 'orphaned'
  if (isRelaying(view)) return 'relaying'
  if (state === 'late') return BigInt(view.payment.missing) > 0n ? 'expired-funds' : 'pending'
  if (view.cancelledAt !== null) return hasFunds ? 'expired-funds' : 'cancelled'
  if (isPast(view.expiresAt, now)) return hasFunds ? 'expired-funds' : 'receipt-expired'
  if (state === 'expired' && hasFunds) return 'expired-funds'
  if (!view.canPay) return 'cannot-pay'
  const holds = view.attempt !== null && view.attempt.expiresAt > now
  if (state === 'short') return holds ? 'short' : 'short-expired'
  if (holds) return 'pay'
  return view.attempt !== null || state === 'expired' ? 'expired' : 'no-offer'
}

/** A signed payment is in progress, or mined but not yet detected by the watcher. */
function isRelaying({ signedPayment, payment }: CheckoutView): boolean {
  if (signedPayment?.state === 'mined') return BigInt(payment.received) === 0n
  return signedPayment?.state === 'waiting' || signedPayment?.state === 'sent'
}

const amountLimits: ReadonlySet<FailureCode> = new Set([
  'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM',
  'PORTAL_PAY_AMOUNT_BELOW_MINIMUM',
])

/**
 * Returns which side's amount limit caused the failure, if any. `service` means that the receipt cannot be
 * paid at all here.
 */
export function limitOf(view: CheckoutView): 'provider' | 'service' | undefined {
  if (!amountLimits.has(failureCodeOf(view))) return undefined
  return view.isWithinLimits ? 'provider' : 'service'
}

/**
 * Returns whether the buyer of a failed receipt may choose another payment method.
 *
 * A provider's decline does not affect wallet payments. Every decline offers the same options, so that they
 * do not reveal the reason.
 */
export function canPayAgain(view: CheckoutView): boolean {
  return view.canPay && view.cancelledAt === null && limitOf(view) !== 'service'
}

/** Returns the failure code, or the general code for unknown codes in old data. */
export function failureCodeOf({ failure }: CheckoutView): FailureCode {
  return failure && Object.hasOwn(failures, failure.code)
    ? (failure.code as FailureCode)
    : 'PORTAL_PAYMENT_FAILED'
}
