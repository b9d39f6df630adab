import type { ReceiptDetail } from '@sluice/protocol/api/receipts/receipts.ts'
import { findCoverage } from '../../chain/find-coverage.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { findBaseUrl } from '../../site/find-brand.ts'
import { findSplitVersion } from '../../split/find-split.ts'
import { listDeliveries } from '../../webhooks/list-deliveries.ts'
import { listHistory } from '../history.ts'
import { shortPaymentUrl } from '../payment-url.ts'
import { hasBuyerData, type Receipt } from '../receipt.ts'
import { receiptUrl } from '../receipt-url.ts'
import { listRefunds } from '../refunds/store.ts'
import { listTelemetry } from './count-telemetry.ts'
import { signReceiptLink } from './private-link.ts'
import { viewDetail } from './view-receipt.ts'

/** What the detail view of a receipt leans on. */
export type DetailNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly site: { readonly baseUrl: string; readonly chainId: number }
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
    findBaseUrl(db, receipt.brandKey, site.baseUrl),
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
