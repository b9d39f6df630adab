import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { X402PaymentRequired, X402Settlement } from '@sluice/protocol/x402/messages.ts'
import type { Bill } from './judge-bill.ts'
import { type BillPlaces, viewBill, x402HeadersOf } from './view-bill.ts'

/** What a program is answered; all of it is JSON. */
export type ProgramAnswer = {
  readonly status: 200 | 202 | 400 | 402 | 403 | 409 | 410
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** A receipt with its places, as answers are made of it. */
export type BillView = { readonly view: CheckoutView; readonly places: BillPlaces }

const comeBack = { 'retry-after': '2' }

/** There is something to pay, or what was sent did not pay it. */
export function answerRequired(
  { view, places }: BillView,
  required: X402PaymentRequired,
  response?: X402Settlement,
): ProgramAnswer {
  return {
    status: 402,
    headers: x402HeadersOf({ required, response }),
    body: { ...required, receipt: viewBill(view, places) },
  }
}

/**
 * There is nothing to pay, or not any more.
 *
 * @param refused - Of a payment that came nevertheless: nothing was taken of it.
 */
export function answerClosed(
  { view, places }: BillView,
  bill: Exclude<Bill, 'open'>,
  refused?: X402Settlement,
): ProgramAnswer {
  const receipt = viewBill(view, places)
  const headers = x402HeadersOf({ response: refused })
  if (bill === 'paid' || bill === 'under-way') {
    if (refused) return { status: 409, headers, body: { ...wordsOf(refused), receipt } }
    const isPaid = bill === 'paid'
    return { status: isPaid ? 200 : 202, headers: isPaid ? {} : comeBack, body: { paid: isPaid, receipt } }
  }
  return { status: bill === 'cannot-pay' ? 403 : 410, headers, body: { ...obstacles[bill], receipt } }
}

/** Another payment is being settled, which may come to nothing: this one was not taken. */
export function answerBusy({ view, places }: BillView, refused: X402Settlement): ProgramAnswer {
  const headers = { ...x402HeadersOf({ response: refused }), ...comeBack }
  return { status: 409, headers, body: { ...wordsOf(refused), receipt: viewBill(view, places) } }
}

/** What was sent is no payment. */
export function answerMalformed(refused: X402Settlement): ProgramAnswer {
  return { status: 400, headers: x402HeadersOf({ response: refused }), body: wordsOf(refused) }
}

/** The payment was taken: it is in the chain, or it is on its way there, and the same request asks for it again. */
export function answerTaken({ view, places }: BillView, bill: Bill, response: X402Settlement): ProgramAnswer {
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
