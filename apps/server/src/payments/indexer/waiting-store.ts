import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Random, randomFraction } from '../../kernel/random.ts'
import { bool, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { FinalityTags } from '../cursors/finality.ts'
import type { ReceiptRef } from '../ledger/place-store.ts'

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

export async function hasWaitingReceipts(
  db: Database,
  chain: number,
  tags: FinalityTags,
  coveredTo: UnixMs,
  now: UnixMs,
): Promise<boolean> {
  const row = await db.row(hasWaiting({ chain, safe: tags.safe, final: tags.final, coveredTo, now }))
  return row?.found ?? false
}

const listDue = statement({
  name: 'list-due-receipts',
  reads: { merchant: text<Wallet>(), receiptId: text<ReceiptId>() },
  text: `SELECT merchant, receipt_id FROM payment_block AS place
    WHERE chain = :chain AND receipt_id IS NOT NULL
      AND ((wanted = 'safe' AND block_number <= :safe) OR (wanted = 'final' AND block_number <= :final))
      AND NOT EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.scanTransfers}'
        AND deferred_item.merchant = place.merchant AND item = 'receipt ' || place.receipt_id)
    GROUP BY merchant, receipt_id ORDER BY hashtextextended(merchant || ' ' || receipt_id, :lot) LIMIT :limit`,
})

const hasWaiting = statement({
  name: 'has-waiting-receipts',
  reads: { found: bool() },
  text: `SELECT EXISTS (SELECT FROM payment_block AS place WHERE chain = :chain AND receipt_id IS NOT NULL
        AND ((wanted = 'safe' AND block_number <= :safe) OR (wanted = 'final' AND block_number <= :final))
        AND NOT EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.scanTransfers}'
          AND deferred_item.merchant = place.merchant AND item = 'receipt ' || place.receipt_id))
      OR EXISTS (SELECT FROM attempt_target AS target WHERE chain = :chain AND is_open AND expires_at < :coveredTo
        AND NOT EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.scanTransfers}'
          AND deferred_item.merchant = target.merchant AND item = 'receipt ' || target.receipt_id))
      OR EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.scanTransfers}' AND next_try <= :now) AS found`,
})
