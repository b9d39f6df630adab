import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { json, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { nested, nestedRows, valuesOf } from '../platform/database/table.ts'
import { appendHistory, type HistoryEntry, historyTable } from './history.ts'
import type { Receipt } from './receipt.ts'
import { termsOf } from './search-terms.ts'
import { receiptTable } from './table.ts'

/**
 * An archived receipt whose month is detached from the database: nothing of it can be read or changed until the month is
 * attached again. A request is answered with `receipt_archived`; a job sets the item aside.
 */
export class MonthDetached extends Error {
  /** As `2024-03`, in UTC. */
  readonly month: string

  constructor(closedAt: UnixMs) {
    const month = new Date(closedAt).toISOString().slice(0, 7)
    super(`The receipt was archived with those closed in ${month}, and that month is detached`)
    this.name = 'MonthDetached'
    this.month = month
  }
}

/**
 * Whether the merchant has a receipt of that id, archived or not, be its month detached. Whoever asks waits for nobody who
 * is changing it, as an insert would.
 */
export async function isIdTaken(db: Database, merchant: Wallet, id: ReceiptId): Promise<boolean> {
  return (await db.row(taken({ merchant, id }))) !== undefined
}

/**
 * The merchant's receipt where it is archived, or `undefined`.
 *
 * @throws {MonthDetached}
 */
export async function findArchived(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<Receipt | undefined> {
  const found = await db.row(find({ merchant, id }))
  if (!found) return undefined
  const [receipt] = found.receipts
  if (!receipt) throw new MonthDetached(found.closedAt)
  return receipt
}

/**
 * Moves a receipt back from the archive, in the caller's transaction, where it is there: from then on it is an ordinary
 * one. Two that do so at once wait for each other, and the second finds nothing left to do.
 *
 * @throws {MonthDetached}
 */
export async function restoreArchived(tx: Database, merchant: Wallet, id: ReceiptId): Promise<void> {
  const key = { merchant, id }
  const locked = await tx.row(lock(key))
  if (!locked) return
  const { closedAt } = locked
  const found = await tx.row(findWhole(key))
  const [receipt] = found?.receipts ?? []
  if (!found || !receipt) throw new MonthDetached(closedAt)
  await tx.run(insert(receipt))
  await tx.run(dropHolder(key))
  await appendHistory(tx, merchant, id, ...found.history)
  await tx.run(addTelemetry({ ...key, telemetry: JSON.stringify(found.telemetry) }))
  const terms = termsOf(receipt)
  if (terms.length > 0) await tx.run(addTerms({ ...key, createdAt: receipt.createdAt, terms }))
  await tx.run(dropDocument({ ...key, closedAt }))
  await tx.run(drop(key))
}

/** Whether a history is what holds the id of an archived receipt, and no history of its own. */
export function isHolder(history: readonly HistoryEntry[]): boolean {
  return (history[0]?.kind as string | undefined) === holderKind
}

/**
 * The only row of an archived receipt's history, with the number of the first: whoever makes a receipt writes that, so
 * that the key of the table refuses an id that was moved in the same moment.
 */
export const holderKind = 'archived'

/** Where the document of an archived receipt lies, for a statement that names the merchant. */
export const documentOf = 'd.merchant = :merchant AND d.id = a.id AND d.closed_at = a.closed_at'

/** The row of `receipt` that a document `d` of an archived receipt `a` has: what follows `FROM`. */
export const archivedRow = `jsonb_populate_record(NULL::receipt,
  (d.document -> 'receipt') || jsonb_build_object('sealed_key', a.sealed_key))`

const receiptRow = `FROM ${archivedRow} WHERE d.id IS NOT NULL`

/** The history that a document `d` has, oldest first. */
export const archivedHistory =
  "FROM jsonb_populate_recordset(NULL::receipt_history, d.document -> 'history') WHERE d.id IS NOT NULL"

const taken = statement({
  name: 'find-taken-id',
  text: `SELECT id FROM receipt WHERE merchant = :merchant AND id = :id
    UNION ALL SELECT id FROM archived_receipt WHERE merchant = :merchant AND id = :id`,
  reads: { id: text() },
})

const find = statement({
  name: 'find-archived-receipt',
  text: `SELECT a.closed_at, ${nestedRows(receiptTable, receiptRow)} AS receipts
    FROM archived_receipt AS a LEFT JOIN archived_document AS d ON ${documentOf}
    WHERE a.merchant = :merchant AND a.id = :id`,
  reads: { closedAt: time(), receipts: nested(receiptTable) },
})

const lock = statement({
  name: 'lock-archived-receipt',
  text: 'SELECT closed_at FROM archived_receipt WHERE merchant = :merchant AND id = :id FOR UPDATE',
  reads: { closedAt: time() },
})

const findWhole = statement({
  name: 'find-archived-document',
  text: `SELECT ${nestedRows(receiptTable, receiptRow)} AS receipts,
      ${nestedRows(historyTable, `${archivedHistory} ORDER BY seq`)} AS history, d.document -> 'telemetry' AS telemetry
    FROM archived_receipt AS a JOIN archived_document AS d ON ${documentOf}
    WHERE a.merchant = :merchant AND a.id = :id`,
  reads: { receipts: nested(receiptTable), history: nested(historyTable), telemetry: json<unknown[]>() },
})

const insert = statement({
  name: 'insert-archived-receipt',
  text: `INSERT INTO receipt ${valuesOf(receiptTable)}`,
  writes: receiptTable,
})

const dropHolder = statement({
  name: 'drop-holder-of-archived-id',
  text: `DELETE FROM receipt_history WHERE merchant = :merchant AND receipt_id = :id AND kind = '${holderKind}'`,
})

/** What a page reported in the moment of the move is there already. */
const addTelemetry = statement({
  name: 'add-archived-telemetry',
  text: `INSERT INTO receipt_telemetry (merchant, receipt_id, value, count, first_at, last_at)
    SELECT :merchant, :id, value, count, first_at, last_at
    FROM jsonb_populate_recordset(NULL::receipt_telemetry, :telemetry::jsonb)
    ON CONFLICT (merchant, receipt_id, value) DO UPDATE SET count = receipt_telemetry.count + excluded.count,
      first_at = excluded.first_at`,
})

const addTerms = statement({
  name: 'add-terms-of-archived-receipt',
  text: `INSERT INTO receipt_term (merchant, term, created_at, receipt_id)
    SELECT :merchant, term, :createdAt, :id FROM unnest(:terms::text[]) AS term ON CONFLICT DO NOTHING`,
})

const dropDocument = statement({
  name: 'drop-archived-document',
  text: 'DELETE FROM archived_document WHERE merchant = :merchant AND id = :id AND closed_at = :closedAt',
})

const drop = statement({
  name: 'drop-archived-receipt',
  text: 'DELETE FROM archived_receipt WHERE merchant = :merchant AND id = :id',
})
