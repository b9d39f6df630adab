import type { ReceiptDetail } from '@sluice/protocol/api/receipts/receipts.ts'
import { findCoverage } from '../../chain/find-coverage.ts'
import type { Database } from '../../platform/database/database.ts'
import { findSplitVersion } from '../../split/find-split.ts'
import { listDeliveries } from '../../webhooks/list-deliveries.ts'
import { listHistory } from '../history.ts'
import type { Receipt } from '../receipt.ts'
import { listRefunds } from '../refunds/store.ts'
import { listTelemetry } from './count-telemetry.ts'
import { viewDetail } from './view-receipt.ts'

/** A receipt in full, as its merchant sees it. */
export async function loadDetail(
  needs: { db: Database; site: { readonly chainId: number } },
  receipt: Receipt,
): Promise<ReceiptDetail> {
  const { db, site } = needs
  const { merchant, id, splitVersion } = receipt
  const [history, deliveries, refunds, telemetry, split, coverage] = await Promise.all([
    listHistory(db, receipt),
    listDeliveries(needs, merchant, id),
    listRefunds(db, merchant, id),
    listTelemetry(db, merchant, id),
    splitVersion === undefined ? undefined : findSplitVersion(db, merchant, splitVersion),
    findCoverage(db, site.chainId),
  ])
  return viewDetail(receipt, { history, deliveries, refunds, telemetry, split, coverage })
}
