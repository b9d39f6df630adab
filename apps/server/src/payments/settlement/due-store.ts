import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Random, randomFraction } from '../../kernel/random.ts'
import { bool, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { FinalityTags } from '../cursors/finality.ts'
import type { ReceiptRef } from '../ledger/place-store.ts'
import type { SettleItem } from './finding-store.ts'

type Due = { readonly tags: FinalityTags; readonly coveredTo: UnixMs; readonly now: UnixMs }

/** Returns whether anything is due: a finding, a receipt at its finality, an ended offer or a deferred item. */
export async function isAnythingDue(
  db: Database,
  chain: number,
  { tags, coveredTo, now }: Due,
): Promise<boolean> {
  const row = await db.row(anyDue({ chain, safe: tags.safe, final: tags.final, coveredTo, now }))
  return row?.found ?? false
}

/** Returns whether a finding up to a block is not settled, and not deferred either. */
export async function hasUnsettled(db: Database, chain: number, to: bigint): Promise<boolean> {
  return (await db.row(unsettled({ chain, to })))?.found ?? false
}

/** Lists receipts with findings. Beyond `limit`, returns a random sample, so that no receipt starves. */
export async function listFoundReceipts(
  db: Database,
  chain: number,
  random: Random,
  limit: number,
): Promise<SettleItem[]> {
  const lot = randomFraction(random) * 2 ** 32
  return db.rows(listFound({ chain, lot, limit }))
}

/** Lists items without a receipt that have findings. */
export async function listLooseItems(
  db: Database,
  chain: number,
  merchant: Wallet,
  limit: number,
): Promise<SettleItem[]> {
  const rows = await db.rows(listLoose({ chain, merchant, limit }))
  return rows.map(({ item }) => ({ merchant, item, receiptId: undefined }))
}

/** Lists merchants with findings that belong to no receipt. */
export async function listFoundMerchants(db: Database, chain: number): Promise<Wallet[]> {
  return (await db.rows(listMerchants({ chain }))).map(({ merchant }) => merchant)
}

/**
 * Lists receipts whose payment reached the required finality. Beyond `limit`, returns a random sample, so
 * that no receipt starves.
 */
export async function listDueReceipts(
  db: Database,
  chain: number,
  tags: FinalityTags,
  random: Random,
  limit: number,
): Promise<ReceiptRef[]> {
  const lot = randomFraction(random) * 2 ** 32
  return db.rows(listDue({ chain, safe: tags.safe, final: tags.final, lot, limit }))
}

const placeIsDeferred = `EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.scanTransfers}'
          AND deferred_item.merchant = place.merchant AND item = 'receipt ' || place.receipt_id)`

const isDeferred = `EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.scanTransfers}'
        AND deferred_item.merchant = finding.merchant AND deferred_item.item = finding.item)`

const listDue = statement({
  name: 'list-due-receipts',
  reads: { merchant: text<Wallet>(), receiptId: text<ReceiptId>() },
  text: `SELECT merchant, receipt_id FROM payment_block AS place
    WHERE chain = :chain AND receipt_id IS NOT NULL
      AND ((wanted = 'safe' AND block_number <= :safe) OR (wanted = 'final' AND block_number <= :final))
      AND NOT ${placeIsDeferred}
    GROUP BY merchant, receipt_id ORDER BY hashtextextended(merchant || ' ' || receipt_id, :lot) LIMIT :limit`,
})

const anyDue = statement({
  name: 'is-anything-due',
  reads: { found: bool() },
  text: `SELECT EXISTS (SELECT FROM payment_block AS place WHERE chain = :chain AND receipt_id IS NOT NULL
        AND ((wanted = 'safe' AND block_number <= :safe) OR (wanted = 'final' AND block_number <= :final))
        AND NOT ${placeIsDeferred})
      OR EXISTS (SELECT FROM attempt_target AS target WHERE chain = :chain AND is_open AND expires_at < :coveredTo
        AND NOT EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.scanTransfers}'
          AND deferred_item.merchant = target.merchant AND item = 'receipt ' || target.receipt_id))
      OR EXISTS (SELECT FROM finding WHERE chain = :chain AND NOT ${isDeferred})
      OR EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.scanTransfers}' AND next_try <= :now) AS found`,
})

const unsettled = statement({
  name: 'has-unsettled-findings',
  reads: { found: bool() },
  text: `SELECT EXISTS (SELECT FROM finding
    WHERE chain = :chain AND block_number <= :to AND NOT ${isDeferred}) AS found`,
})

const listFound = statement({
  name: 'list-found-receipts',
  reads: { merchant: text<Wallet>(), item: text(), receiptId: optional(text<ReceiptId>()) },
  text: `SELECT merchant, item, receipt_id FROM finding
    WHERE chain = :chain AND receipt_id IS NOT NULL AND NOT ${isDeferred}
    GROUP BY merchant, item, receipt_id ORDER BY hashtextextended(merchant || ' ' || item, :lot) LIMIT :limit`,
})

const listMerchants = statement({
  name: 'list-merchants-with-loose-findings',
  reads: { merchant: text<Wallet>() },
  text: `SELECT DISTINCT merchant FROM finding
    WHERE chain = :chain AND receipt_id IS NULL AND NOT ${isDeferred} ORDER BY merchant`,
})

const listLoose = statement({
  name: 'list-loose-items',
  reads: { item: text() },
  text: `SELECT DISTINCT item FROM finding
    WHERE chain = :chain AND merchant = :merchant AND receipt_id IS NULL AND NOT ${isDeferred} ORDER BY item LIMIT :limit`,
})
