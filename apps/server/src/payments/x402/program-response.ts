import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { normaliseStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import {
  type X402PaymentRequired,
  type X402Receipt,
  type X402Requirements,
  type X402Settlement,
  x402Headers,
  x402Version,
} from '@sluice/protocol/x402/messages.ts'
import { standingOf } from '../../receipts/receipt.ts'

export type ProgramResponse = {
  readonly status: 200 | 202 | 400 | 402 | 403 | 409 | 410
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

export type BillView = { readonly view: CheckoutView; readonly places: BillPlaces }

const comeBack = { 'retry-after': '2' }

export function requiredResponse(
  { view, places }: BillView,
  required: X402PaymentRequired,
  response?: X402Settlement,
): ProgramResponse {
  return {
    status: 402,
    headers: x402HeadersOf({ required, response }),
    body: { ...required, receipt: viewBill(view, places) },
  }
}

/**
 * Responds that no payment is due.
 *
 * @param refused - A payment that was sent nevertheless. It was not charged.
 */
export function closedResponse(
  { view, places }: BillView,
  bill: Exclude<Bill, 'open'>,
  refused?: X402Settlement,
): ProgramResponse {
  const receipt = viewBill(view, places)
  const headers = x402HeadersOf({ response: refused })
  if (bill === 'paid' || bill === 'under-way') {
    if (refused) return { status: 409, headers, body: { ...wordsOf(refused), receipt } }
    const isPaid = bill === 'paid'
    return { status: isPaid ? 200 : 202, headers: isPaid ? {} : comeBack, body: { paid: isPaid, receipt } }
  }
  return { status: bill === 'cannot-pay' ? 403 : 410, headers, body: { ...obstacles[bill], receipt } }
}

export function busyResponse({ view, places }: BillView, refused: X402Settlement): ProgramResponse {
  const headers = { ...x402HeadersOf({ response: refused }), ...comeBack }
  return { status: 409, headers, body: { ...wordsOf(refused), receipt: viewBill(view, places) } }
}

export function malformedResponse(refused: X402Settlement): ProgramResponse {
  return { status: 400, headers: x402HeadersOf({ response: refused }), body: wordsOf(refused) }
}

export function takenResponse(
  { view, places }: BillView,
  bill: Bill,
  response: X402Settlement,
): ProgramResponse {
  const receipt = viewBill(view, places)
  const headers = x402HeadersOf({ response })
  if (response.success) return { status: 200, headers, body: { paid: bill === 'paid', receipt } }
  return { status: 202, headers: { ...headers, ...comeBack }, body: { paid: false, receipt } }
}

function wordsOf({ errorReason: error, errorMessage: message }: X402Settlement) {
  return { error, message }
}

const obstacles = {
  cancelled: { error: 'receipt_cancelled', message: 'The merchant cancelled this receipt' },
  expired: { error: 'receipt_expired', message: 'This receipt has expired' },
  'cannot-pay': { error: 'split_required', message: 'This merchant cannot accept payments yet' },
} as const

export type Bill =
  | 'open'
  /** Paid, even if it was refunded later. */
  | 'paid'
  /** The full amount was sent and awaits confirmation. */
  | 'under-way'
  | 'cancelled'
  | 'expired'
  | 'cannot-pay'

export function evaluateBill(view: CheckoutView, now: UnixMs): Bill {
  const standing = standingOf({ ...view, status: normaliseStatus(view.status) ?? 'pending' }, now)
  if (standing === 'paid') return 'paid'
  if (standing === 'settling' || isUnderWay(view)) return 'under-way'
  if (standing !== 'open') return standing
  return view.canPay ? 'open' : 'cannot-pay'
}

/** A reorged payment counts as pending, so that the buyer does not pay twice. */
function isUnderWay({ payment: { state, missing } }: CheckoutView): boolean {
  if (state === 'late') return BigInt(missing) === 0n
  return state === 'seen' || state === 'paid' || state === 'over' || state === 'orphaned'
}

type BillPlaces = { readonly payUrl: string; readonly receiptUrl: string }

function viewBill(view: CheckoutView, { receiptUrl }: BillPlaces): X402Receipt {
  const { state, token, decimals, received, missing, excess, transactionHash, payer } = view.payment
  return {
    receiptId: view.receiptId,
    recipient: view.recipient,
    brandName: view.brandName,
    status: view.status,
    currency: view.currency,
    totalUsd: view.totalUsd,
    customerTotalUsd: view.customerTotalUsd,
    lineItems: view.lineItems.map(({ label, priceUsd, qty }) => ({
      label,
      priceUsd,
      ...(qty !== undefined && { qty }),
    })),
    payment: { state, token, decimals, received, missing, excess, transactionHash, payer },
    receiptUrl,
  }
}

export function viewRequired(
  view: CheckoutView,
  { payUrl }: BillPlaces,
  accepts: readonly X402Requirements[],
  error: string,
): X402PaymentRequired {
  const description = `${view.brandName}, receipt ${view.receiptId}`
  return {
    x402Version,
    error,
    resource: { url: payUrl, description, mimeType: 'application/json' },
    accepts: [...accepts],
  }
}

function x402HeadersOf(says: {
  readonly required?: X402PaymentRequired | undefined
  readonly response?: X402Settlement | undefined
}): Record<string, string> {
  return {
    ...(says.required && { [x402Headers.required]: encode(says.required) }),
    ...(says.response && { [x402Headers.response]: encode(says.response) }),
  }
}

function encode(message: object): string {
  return Buffer.from(JSON.stringify(message)).toString('base64')
}
