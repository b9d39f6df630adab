import type { X402Settlement } from '@sluice/protocol/x402/messages.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { Asked, FindCheckoutNeeds } from '../checkout/find-checkout.ts'
import { type FoundBill, loadBill } from './load-bill.ts'
import { type OfferBillNeeds, offerBill } from './offer-bill.ts'
import { answerClosed, answerRequired, type ProgramAnswer } from './program-answer.ts'
import { viewRequired } from './view-bill.ts'

/** What answering a program leans on. */
export type AnswerBillNeeds = FindCheckoutNeeds & OfferBillNeeds

/** A payment URL as it was asked for. */
export type AskedBill = Asked & { readonly id: string }

/**
 * A receipt as a program is answered that asks for it without a payment: what is to be paid and how, or that nothing
 * is.
 *
 * @throws {Refusal} `not_found`; `invalid_amount` where it is outside the limits.
 * @throws {ChainUnavailable}
 * @throws {RateUnavailable}
 */
export async function answerBill(needs: AnswerBillNeeds, asked: AskedBill): Promise<ProgramAnswer> {
  const found = await loadBill(needs, asked.id, asked)
  return askToPay(needs, asked, found, { why: 'PAYMENT-SIGNATURE header is required' })
}

/**
 * What is to be paid now and why it is asked for; or why nothing is.
 *
 * @param says.refused - What became of a payment that came.
 */
export async function askToPay(
  needs: AnswerBillNeeds,
  asked: AskedBill,
  { receipt, shown, bill }: FoundBill,
  says: { readonly why: string; readonly refused?: X402Settlement },
): Promise<ProgramAnswer> {
  if (bill !== 'open') return answerClosed(shown, bill, says.refused)
  try {
    const accepts = await offerBill(needs, receipt)
    const why = accepts.length > 0 ? says.why : nobodySubmits
    // The offer that was just made is part of what is told.
    const after = shown.view.attempt ? { shown } : await loadBill(needs, asked.id, asked)
    const required = viewRequired(after.shown.view, after.shown.places, accepts, why)
    return answerRequired(after.shown, required, says.refused)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // It may have been paid, cancelled or replaced meanwhile.
    const after = await loadBill(needs, asked.id, asked)
    if (after.bill === 'open') throw error
    return answerClosed(after.shown, after.bill, says.refused)
  }
}

const nobodySubmits =
  'No signatures are taken here; pay by a transaction of your own: POST /api/checkout/{id}/attempts'
