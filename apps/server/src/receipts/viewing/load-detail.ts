import type { ReceiptDetail } from '@sluice/protocol/api/receipts/receipts.ts'
import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { BrandUrls } from '../../site/brand-origins.ts'
import { listDeliveries } from '../../webhooks/list-deliveries.ts'
import { countLeftOut, listHistory } from '../history.ts'
import { shortPaymentUrl } from '../payment-url.ts'
import { hasBuyerData, type Receipt } from '../receipt.ts'
import { receiptUrl } from '../receipt-url.ts'
import { listTelemetry } from './count-telemetry.ts'
import { findDetail } from './find-detail.ts'
import { signReceiptLink } from './private-link.ts'
import { viewWholeTimeline } from './timeline.ts'
import { viewDetail } from './view-receipt.ts'

/** What the detail view of a receipt leans on. */
export type DetailNeeds = {
  readonly db: Database
  readonly clock: Clock
  /** The time of deadlines: the chain's. */
  readonly deadlines: Pick<Clock, 'now'>
  readonly secrets: Secrets
  readonly site: { readonly chainId: number }
  readonly urls: BrandUrls
}

/**
 * The merchant's receipt in full, as he sees it.
 *
 * @throws {Refusal} `not_found` when there is none, or when it belongs to another merchant: the two answers are the
 * same, so that ids cannot be probed.
 */
export async function loadDetail(needs: DetailNeeds, merchant: Wallet, id: string): Promise<ReceiptDetail> {
  const parsed = parseReceiptId(id)
  const found = parsed && (await findDetail(needs.db, merchant, parsed, needs.site.chainId))
  if (!found) throw new Refusal('not_found', 'Receipt not found')
  const { receipt } = found
  const baseUrl = await needs.urls.of(receipt.brandKey)
  const urls = {
    paymentUrl: shortPaymentUrl(baseUrl, receipt),
    receiptUrl: receiptUrl(baseUrl, receipt),
    privateReceiptUrl: hasBuyerData(receipt)
      ? receiptUrl(baseUrl, receipt, signReceiptLink(needs.secrets, receipt, needs.clock.now()))
      : null,
  }
  return viewDetail(receipt, { ...found, now: needs.deadlines.now(), urls })
}

/** All that happened to a receipt, what checkout pages reported of it included, oldest first. */
export async function loadTimeline(needs: { readonly db: Database }, receipt: Receipt) {
  const { merchant, id } = receipt
  const [history, deliveries, telemetry] = await Promise.all([
    listHistory(needs.db, receipt),
    listDeliveries(needs, merchant, id),
    listTelemetry(needs.db, merchant, id),
  ])
  return {
    receiptId: id,
    entries: viewWholeTimeline(history, deliveries, telemetry),
    omitted: countLeftOut(receipt.historyCount),
  }
}
