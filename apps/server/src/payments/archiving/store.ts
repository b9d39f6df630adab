import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bool, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { holderKind } from '../../receipts/archived-store.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { never } from '../../receipts/receipt-due.ts'
import type { Searchable } from '../../receipts/search-terms.ts'
import { receiptTable } from '../../receipts/table.ts'

/** A receipt that may be archived, and what it is found by. */
export type ClosedReceipt = Searchable & Pick<Receipt, 'id' | 'createdAt'>

/** A receipt that was made long ago; `closedAt` where it was closed for long enough, too. */
export type OldReceipt = Pick<Receipt, 'id' | 'createdAt'> & { readonly closedAt: UnixMs | undefined }

/** The merchant's next receipts that were made before `before`, oldest first. */
export async function listOldReceipts(
  db: Database,
  merchant: Wallet,
  {
    after,
    before,
  }: { readonly after: Pick<Receipt, 'id' | 'createdAt'> | undefined; readonly before: UnixMs },
  limit: number,
): Promise<OldReceipt[]> {
  const from = { createdAt: after?.createdAt ?? 0, id: after?.id ?? '' }
  return db.rows(listOld({ merchant, after: from, before, limit }))
}

/** Makes the partition of a moment's month; `false` where it was made before and is detached now, or cannot be made now. */
export async function makeMonth(db: Database, at: UnixMs): Promise<boolean> {
  return (await db.row(make({ at })))?.isAttached ?? false
}

/** Those of the receipts that were closed before `before`, held until the transaction ends; what others hold is left out. */
export async function lockClosedReceipts(
  tx: Database,
  merchant: Wallet,
  ids: readonly ReceiptId[],
  before: UnixMs,
): Promise<ClosedReceipt[]> {
  return tx.rows(lock({ merchant, ids, before }))
}

/** Those of the receipts that something is under way for; their money is to stand at or below the block `final`. */
export async function listBusyReceipts(
  tx: Database,
  merchant: Wallet,
  ids: readonly ReceiptId[],
  final: bigint,
): Promise<ReceiptId[]> {
  if (ids.length === 0) return []
  const own = await tx.rows(listBusy({ merchant, ids, final }))
  const due = await tx.rows(listDue({ merchant, ids, never }))
  return [...own, ...due].map(({ id }) => id)
}

/** Stores locked receipts in the archive; how many. */
export async function insertArchived(
  tx: Database,
  merchant: Wallet,
  ids: readonly ReceiptId[],
  at: UnixMs,
): Promise<number> {
  await tx.run(insertIds({ merchant, ids, at }))
  return tx.run(insertDocuments({ merchant, ids }))
}

/** Drops what was stored in the archive: all but the number of the first row of each history, which holds the id. */
export async function dropReceipts(
  tx: Database,
  merchant: Wallet,
  stored: {
    readonly receipts: readonly Pick<Receipt, 'id' | 'createdAt'>[]
    readonly terms: readonly (Pick<Receipt, 'id' | 'createdAt'> & { readonly term: string })[]
  },
): Promise<void> {
  const { receipts, terms } = stored
  const ids = receipts.map(({ id }) => id)
  await tx.run(dropHistory({ merchant, ids }))
  await tx.run(insertHolders({ merchant, each: receipts }))
  await tx.run(dropTelemetry({ merchant, ids }))
  if (terms.length > 0) await tx.run(dropTerms({ merchant, each: terms }))
  await tx.run(drop({ merchant, ids }))
}

/** When a row of `receipt` was closed: nothing was changed since, and what nobody paid was not to be paid any more. */
const closedAt = `greatest(updated_at,
  CASE WHEN status IN ('generated', 'pending') AND cancelled_at IS NULL THEN expires_at ELSE 0 END)`

/**
 * Whether a row of `receipt` is closed since before `:before`: paid for good, given back, failed, or given up. Money that
 * the chain took back, or that is not enough, is somebody's business still.
 */
const isClosed = `(status IN ('paid', 'reconciled', 'refunded', 'failed')
    OR (status IN ('generated', 'pending') AND (cancelled_at IS NOT NULL OR expires_at < :before::int8)))
  AND coalesce(payment ->> 'state', 'none') NOT IN ('orphaned', 'seen', 'short')
  AND (paid_units IS NOT NULL OR coalesce(provider_session ->> 'delivery', 'accepted') = 'accepted') AND ${closedAt} < :before::int8` as const

const listOld = statement({
  name: 'list-old-receipts',
  reads: { id: text<ReceiptId>(), createdAt: time(), closedAt: optional(time()) },
  text: `SELECT id, created_at, CASE WHEN ${isClosed} THEN ${closedAt} END AS closed_at FROM receipt
    WHERE merchant = :merchant AND created_at < :before::int8 AND (created_at, id) > (:after.createdAt, :after.id)
    ORDER BY created_at, id LIMIT :limit`,
})

const make = statement({
  name: 'make-archive-month',
  reads: { isAttached: bool() },
  text: 'SELECT make_archive_month(:at) AS is_attached',
})

const { id, createdAt, providerEmail, billing, transactionId, metadata } = receiptTable.parts

const lock = statement({
  name: 'lock-closed-receipts',
  reads: { id, createdAt, providerEmail, billing, transactionId, metadata },
  text: `SELECT id, created_at, provider_email, billing, transaction_id, metadata FROM receipt
    WHERE merchant = :merchant AND id = ANY(:ids::text[]) AND ${isClosed} ORDER BY id FOR UPDATE SKIP LOCKED`,
})

/**
 * By what a merchant's own tables say: an offer that stands, money that is not final, not swept, not distributed or not
 * decided about, a refund that is not verified, a webhook that is not delivered, a card payment that is on its way.
 *
 * A state is named so that the index of the receipts serves, and not that of all that is due anywhere; below, too.
 */
const listBusy = statement({
  name: 'list-receipts-under-way',
  reads: { id: text<ReceiptId>() },
  text: `SELECT receipt_id AS id FROM attempt
      WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[]) AND closed_at IS NULL
    UNION ALL SELECT receipt_id FROM payment
      WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[])
        AND (state = 'seen' OR (state IN ('credited', 'unmatched')
          AND (block_number > :final OR (swept_tx IS NULL AND kind <> 'call'))))
    UNION ALL SELECT receipt_id FROM unmatched_payment
      WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[])
        AND (state = 'open' OR (state <> 'orphaned' AND swept_tx IS NULL AND kind IS DISTINCT FROM 'call'))
    UNION ALL SELECT receipt_id FROM split_arrival
      WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[]) AND distributed_at IS NULL AND orphaned_at IS NULL
    UNION ALL SELECT receipt_id FROM refund
      WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[]) AND tx_hash IS NOT NULL
        AND (mark IS NULL OR mark = 'tx_mined')
    UNION ALL SELECT subject FROM notice
      WHERE merchant = :merchant AND subject = ANY(:ids::text[])
        AND state NOT IN ('delivered', 'superseded', 'exhausted')
    UNION ALL SELECT receipt_id FROM onramp_session
      WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[]) AND state IN ('opening', 'ach_pending', 'accepted')`,
})

/**
 * By the lists over all merchants: an order's stock to be settled, but where only a move of the status would change it; to
 * be reconciled; signed and not submitted.
 */
const listDue = statement({
  name: 'list-due-receipts-of',
  reads: { id: text<ReceiptId>() },
  text: `SELECT receipt_id AS id FROM receipt_due
      WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[]) AND due_at < :never
    UNION ALL SELECT receipt_id FROM reconcile_due WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[])
    UNION ALL SELECT receipt_id FROM relayed_payment
      WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[]) AND coalesce(settled_at, 0) = 0`,
})

const insertIds = statement({
  name: 'insert-archived-ids',
  text: `INSERT INTO archived_receipt (merchant, id, closed_at, archived_at, created_at, currency, standing, total_cents,
      native_total_cents, fee_cents, refunded_cents, key_id, sealed_key)
    SELECT merchant, id, ${closedAt}, :at::int8, created_at, currency, standing, total_cents, native_total_cents,
      fee_cents, refunded_cents, key_id, sealed_key
    FROM receipt WHERE merchant = :merchant AND id = ANY(:ids::text[])`,
})

/** Rows as they are, by the names of their columns. `version` tells documents apart should they ever be made otherwise. */
const insertDocuments = statement({
  name: 'insert-archived-documents',
  text: `INSERT INTO archived_document (merchant, id, closed_at, document)
    SELECT r.merchant, r.id, ${closedAt}, jsonb_build_object('version', 1, 'receipt', to_jsonb(r) - 'sealed_key',
      'history', coalesce((SELECT jsonb_agg(to_jsonb(h) - 'merchant' - 'receipt_id' ORDER BY h.seq)
        FROM receipt_history AS h WHERE h.merchant = :merchant AND h.receipt_id = r.id), '[]'),
      'telemetry', coalesce((SELECT jsonb_agg(to_jsonb(t) - 'merchant' - 'receipt_id')
        FROM receipt_telemetry AS t WHERE t.merchant = :merchant AND t.receipt_id = r.id), '[]'))
    FROM receipt AS r WHERE r.merchant = :merchant AND r.id = ANY(:ids::text[])`,
})

const dropHistory = statement({
  name: 'drop-archived-history',
  text: 'DELETE FROM receipt_history WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[])',
})

const insertHolders = statement({
  name: 'insert-holders-of-archived-ids',
  text: `INSERT INTO receipt_history (merchant, receipt_id, seq, kind, detail, at)
    SELECT :merchant, id, 1, '${holderKind}', '{}', created_at
    FROM unnest(:each.id::text[], :each.createdAt::int8[]) AS each (id, created_at)`,
})

const dropTelemetry = statement({
  name: 'drop-archived-telemetry',
  text: 'DELETE FROM receipt_telemetry WHERE merchant = :merchant AND receipt_id = ANY(:ids::text[])',
})

const dropTerms = statement({
  name: 'drop-archived-terms',
  text: `DELETE FROM receipt_term USING unnest(:each.term::text[], :each.createdAt::int8[], :each.id::text[])
      AS gone (term, created_at, receipt_id)
    WHERE receipt_term.merchant = :merchant AND receipt_term.term = gone.term
      AND receipt_term.created_at = gone.created_at AND receipt_term.receipt_id = gone.receipt_id`,
})

const drop = statement({
  name: 'drop-moved-receipts',
  text: 'DELETE FROM receipt WHERE merchant = :merchant AND id = ANY(:ids::text[])',
})
