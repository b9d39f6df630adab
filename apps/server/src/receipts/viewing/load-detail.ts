import type { ReceiptDetail } from '@sluice/protocol/api/receipts/receipts.ts'
import { findCoverage } from '../../chain/find-coverage.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { BrandUrls } from '../../site/brand-urls.ts'
import { findSplitVersion } from '../../split/find-split.ts'
import { listDeliveries } from '../../webhooks/list-deliveries.ts'
import { countLeftOut, listHistory } from '../history.ts'
import { shortPaymentUrl } from '../payment-url.ts'
import { hasBuyerData, type Receipt } from '../receipt.ts'
import { receiptUrl } from '../receipt-url.ts'
import { listRefunds } from '../refunds/store.ts'
import { listTelemetry } from './count-telemetry.ts'
import { signReceiptLink } from './private-link.ts'
import { viewWholeTimeline } from './timeline.ts'
import { viewDetail } from './view-receipt.ts'

/** What the detail view of a receipt leans on. */
export type DetailNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly site: { readonly chainId: number }
  readonly urls: BrandUrls
}

/** A receipt in full, as its merchant sees it. */
export async function loadDetail(needs: DetailNeeds, receipt: Receipt): Promise<ReceiptDetail> {
  const { db, site } = needs
  const { merchant, id, splitVersion } = receipt
  const [history, deliveries, refunds, telemetry, split, coverage, baseUrl] = await Promise.all([
    listHistory(db, receipt),
    listDeliveries(needs, merchant, id),
    listRefunds(db, merchant, id),
    listTelemetry(db, merchant, id),
    splitVersion === undefined ? undefined : findSplitVersion(db, merchant, splitVersion),
    findCoverage(db, site.chainId),
    needs.urls.of(receipt.brandKey),
  ])
  const urls = {
    paymentUrl: shortPaymentUrl(baseUrl, receipt),
    receiptUrl: receiptUrl(baseUrl, receipt),
    privateReceiptUrl: hasBuyerData(receipt)
      ? receiptUrl(baseUrl, receipt, signReceiptLink(needs.secrets, receipt, needs.clock.now()))
      : null,
  }
  return viewDetail(receipt, { history, deliveries, refunds, telemetry, split, coverage, urls })
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
