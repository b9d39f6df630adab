import type { UnixMs } from '@sluice/protocol/time.ts'
import { shortPaymentUrl } from '../../receipts/payment-url.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { receiptUrl } from '../../receipts/receipt-url.ts'
import { findBaseUrl } from '../../site/find-brand.ts'
import {
  type Asked,
  type FindCheckoutNeeds,
  findCheckout,
  getPayableReceipt,
} from '../checkout/find-checkout.ts'
import { type Bill, judgeBill } from './judge-bill.ts'
import type { BillView } from './program-answer.ts'

/** A receipt as somebody found it who wants to pay it. */
export type FoundBill = {
  readonly receipt: Receipt
  readonly shown: BillView
  readonly bill: Bill
  readonly now: UnixMs
}

/**
 * The receipt that a payment URL names, as it stands now.
 *
 * @throws {Refusal} `not_found`, as the checkout does.
 */
export async function loadBill(needs: FindCheckoutNeeds, id: string, asked: Asked): Promise<FoundBill> {
  const receipt = await getPayableReceipt(needs, id, asked)
  const found = { recipient: receipt.merchant, host: asked.host }
  const [view, baseUrl] = await Promise.all([
    findCheckout(needs, id, found),
    findBaseUrl(needs.db, receipt.brandKey, needs.baseUrl),
  ])
  const now = needs.chain.time.now()
  const places = { payUrl: shortPaymentUrl(baseUrl, receipt), receiptUrl: receiptUrl(baseUrl, receipt) }
  return { receipt, shown: { view, places }, bill: judgeBill(view, now), now }
}
