import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { normaliseStatus, type ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { isPast } from '../../receipts/receipt.ts'

/** What the payment side of the checkout says. Each has a full panel of its own; no two are shown together. */
export type Panel =
  /** An offer stands: wallets, code, amount and address. */
  | 'pay'
  /** As `pay`, for the rest of a payment that came short. */
  | 'short'
  /** Nothing came while the quote held. */
  | 'expired'
  /** Part came, and the quote for the rest has run out. */
  | 'short-expired'
  /** Part came, and the receipt is no longer to be paid; a person has to look at it. */
  | 'expired-funds'
  /** The receipt itself is no longer to be paid. */
  | 'receipt-expired'
  /** To be paid, but without an offer yet. */
  | 'no-offer'
  /** The merchant took the request back. */
  | 'cancelled'
  | 'cannot-pay'
  /** The amount is smaller or larger than what is taken here. */
  | 'out-of-limits'
  /** The buyer came back from the page of the card provider, who has not said yet what came of it. */
  | 'provider'
  | 'pending'
  /** The buyer has signed, and the service brings it to the chain. */
  | 'relaying'
  | 'orphaned'
  | 'paid'
  | 'overpaid'
  | 'paid-late'
  | 'bank-pending'
  | 'failed'
  | 'refund-requested'
  | 'refunded'
  /** Paid, and part of the price was returned. */
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

/** The buyer can pay from this panel: wallet buttons, code and address stand on these alone. */
export function isPayable(panel: Panel): panel is 'pay' | 'short' {
  return panel === 'pay' || panel === 'short'
}

/** A new quote may be made for the buyer. */
export function isQuotable(panel: Panel): boolean {
  return quotable.has(panel)
}

/** For the buyer the payment is complete. */
export function isPaid(panel: Panel): boolean {
  return paid.has(panel)
}

/** Nothing more is to be expected, so the page need not follow it live. */
export function isClosed(panel: Panel): boolean {
  return closed.has(panel)
}

/** The panel that tells the truth about a receipt at `now`. Total: an unknown status reads as unpaid. */
export function judgePanel(view: CheckoutView, now: UnixMs): Panel {
  const status: ReceiptStatus = normaliseStatus(view.status) ?? 'pending'
  const state = view.payment.state
  switch (status) {
    case 'refunded':
      return 'refunded'
    case 'refund_requested':
      return 'refund-requested'
    case 'failed':
      return judgeFailed(view, now)
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
      return judgeUnpaid(view, now)
  }
}

/** A failed receipt may still be paid: what has come by another way since is what the buyer wants to know. */
function judgeFailed(view: CheckoutView, now: UnixMs): Panel {
  if (BigInt(view.payment.received) > 0n) return judgeUnpaid(view, now)
  return limitOf(view) === 'service' ? 'out-of-limits' : 'failed'
}

function judgeUnpaid(view: CheckoutView, now: UnixMs): Panel {
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

/** What was signed is under way, or has arrived where the watcher has not yet seen it. */
function isRelaying({ signedPayment, payment }: CheckoutView): boolean {
  if (signedPayment?.state === 'mined') return BigInt(payment.received) === 0n
  return signedPayment?.state === 'waiting' || signedPayment?.state === 'sent'
}

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
