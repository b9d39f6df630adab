import type { UnixMs } from '@sluice/protocol/time.ts'
import type { X402Requirements } from '@sluice/protocol/x402/messages.ts'
import { receiptUrl, shortPaymentUrl } from '../../receipts/payment-url.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import { findBaseUrl } from '../../site/find-brand.ts'
import {
  type Asked,
  type FindCheckoutNeeds,
  findCheckout,
  getPayableReceipt,
} from '../checkout/find-checkout.ts'
import { type OpenAttemptNeeds, openAttempt } from '../checkout/open-attempt.ts'
import type { Submitter } from '../relaying/relayer.ts'
import { requirementsOf } from './facilitator.ts'
import { type Bill, type BillView, evaluateBill } from './program-response.ts'

export type FoundBill = {
  readonly receipt: Receipt
  readonly shown: BillView
  readonly bill: Bill
  readonly now: UnixMs
}

export async function loadBill(needs: FindCheckoutNeeds, id: string, asked: Asked): Promise<FoundBill> {
  const receipt = await getPayableReceipt(needs, id, asked)
  const found = { recipient: receipt.merchant, host: asked.host }
  const [view, baseUrl] = await Promise.all([
    findCheckout(needs, id, found),
    findBaseUrl(needs.db, receipt.brandKey, needs.baseUrl),
  ])
  const now = needs.chain.time.now()
  const places = { payUrl: shortPaymentUrl(baseUrl, receipt), receiptUrl: receiptUrl(baseUrl, receipt) }
  return { receipt, shown: { view, places }, bill: evaluateBill(view, now), now }
}

export type OfferBillNeeds = OpenAttemptNeeds & {
  readonly relayer: Submitter | undefined
}

/**
 * Lists the signature-based payment options of an open receipt, and opens an attempt per token if needed.
 *
 * The receipt's status does not change. Empty if no signature is accepted.
 *
 * @throws {ApiError} as `openAttempt`.
 * @throws {ChainUnavailable}
 * @throws {RateUnavailable}
 */
export async function offerBill(needs: OfferBillNeeds, receipt: Receipt): Promise<X402Requirements[]> {
  const { relayer, chain } = needs
  const accepts: X402Requirements[] = []
  if (!relayer || customerTotalCents(receipt) < relayer.terms.minCents) return accepts
  if ((await relayer.readState()).error) return accepts
  for (const token of chain.tokens) {
    const domain = await relayer.tokens.find(token)
    if (!domain) continue
    const attempt = await openAttempt(needs, receipt, { token: token.symbol }, 'page')
    if (attempt.remaining !== '0') accepts.push(requirementsOf(attempt, domain))
  }
  return accepts
}
