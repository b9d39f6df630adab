import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { KeyedRequest, PlainResponse } from '../access/route.ts'
import { int8 } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { isUniqueViolation } from '../platform/database/degraded.ts'
import { isInsideTransaction } from '../platform/database/inside-transaction.ts'
import { statement } from '../platform/database/statement.ts'
import { assign, assignAllBut, columnsOf, eachOf, placesOf } from '../platform/database/table.ts'
import { type HistoryEntry, historyTable } from './history.ts'
import type { Receipt } from './receipt.ts'
import { type Searchable, termsOf } from './search-terms.ts'
import { bytesOf, receiptTable } from './table.ts'

/** Returns a receipt without a lock. */
export async function findReceipt(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<Receipt | undefined> {
  return db.row(find({ merchant, id }))
}

/** Returns a receipt and locks its row until the transaction ends. */
export async function lockReceipt(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<Receipt | undefined> {
  return tx.row(lock({ merchant, id }))
}

export async function findReceipts(
  db: Database,
  merchant: Wallet,
  ids: readonly ReceiptId[],
  maxBytes: number,
): Promise<Receipt[]> {
  if (ids.length === 0) return []
  const rows = await db.rows(findEach({ merchant, ids, maxBytes }))
  return rows.map(({ receipt }) => receipt)
}

export type KeyedResponse = {
  readonly request: KeyedRequest
  readonly response: PlainResponse
  readonly at: UnixMs
}

/**
 * Inserts a receipt with its first history row, its search terms and the response for its Idempotency-Key,
 * atomically. Returns `false` if the merchant already has that id or a response for that key. Does not wait
 * for a concurrent change of a receipt with that id.
 */
export async function insertReceipt(db: Database, receipt: Receipt, keyed?: KeyedResponse): Promise<boolean> {
  const made = insert({ ...receipt, terms: termsOf(receipt), keyed: keyed ?? (unkeyed as KeyedResponse) })
  try {
    // A nested transaction keeps the caller's writes if a concurrent insert causes a unique violation.
    const count = isInsideTransaction() ? await db.transaction((tx) => tx.run(made)) : await db.run(made)
    return count > 0
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

/** Reserves a generated id for a merchant. Returns `false` if the id exists. */
export async function insertGeneratedId(tx: Database, merchant: Wallet, id: ReceiptId): Promise<boolean> {
  return (await tx.run(addGeneratedId({ id, merchant }))) > 0
}

/**
 * Replaces the content of a receipt. Creation time and history remain. The caller must hold the row lock.
 *
 * @param before - Previous content, for its search terms.
 */
export async function replaceReceipt(tx: Database, receipt: Receipt, before: Searchable): Promise<void> {
  await tx.run(replace(receipt))
  const [old, terms] = [termsOf(before), termsOf(receipt)]
  const { merchant, id, createdAt } = receipt
  const gone = old.filter((term) => !terms.includes(term))
  const come = terms.filter((term) => !old.includes(term))
  if (gone.length > 0) await tx.run(dropTerms({ merchant, id, createdAt, terms: gone }))
  if (come.length > 0) await tx.run(addTerms({ merchant, id, createdAt, terms: come }))
}

export async function saveProgress(
  tx: Database,
  receipt: Receipt,
  ...entries: readonly HistoryEntry[]
): Promise<void> {
  await tx.run(entries.length === 0 ? save(receipt) : saveReported({ ...receipt, each: entries.map(stored) }))
}

/**
 * Saves a new status and its history entry. The caller must hold the row lock.
 *
 * @returns how many times the receipt has entered that status, including this time.
 */
export async function saveStatus(tx: Database, receipt: Receipt, entry: HistoryEntry): Promise<number> {
  const row = await tx.row(saveMoved({ ...receipt, each: [stored(entry)] }))
  return Number(row?.before ?? 0n) + 1
}

function stored(entry: HistoryEntry) {
  return { ...entry, detail: JSON.stringify(entry.detail) }
}

const progress = [
  'status',
  'failure',
  'transactionHash',
  'transactionAt',
  'token',
  'paidUnits',
  'buyerWallet',
  'payment',
  'currentAttempt',
  'providerSession',
  'splitVersion',
  'cancelledAt',
  'refundedCents',
  'historyCount',
  'updatedAt',
] as const

/** Columns that a request cannot replace. */
const keptByReplace = [
  'merchant',
  'id',
  'status',
  'origin',
  'splitVersion',
  'createdAt',
  'failure',
  'transactionHash',
  'transactionAt',
  'token',
  'paidUnits',
  'buyerWallet',
  'payment',
  'currentAttempt',
  'providerSession',
  'cancelledAt',
  'refundedCents',
  'historyCount',
] as const

const find = statement({
  name: 'find-receipt',
  text: `SELECT ${columnsOf(receiptTable)} FROM receipt WHERE merchant = :merchant AND id = :id`,
  reads: receiptTable,
})

const lock = statement({
  name: 'lock-receipt',
  text: `SELECT ${columnsOf(receiptTable)} FROM receipt WHERE merchant = :merchant AND id = :id FOR UPDATE`,
  reads: receiptTable,
})

const findEach = statement({
  name: 'find-receipts',
  text: `SELECT ${columnsOf(receiptTable)} FROM (
    SELECT *, sum(bytes) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM (
      SELECT ${columnsOf(receiptTable, 'r')}, wanted.place, ${bytesOf('r')} AS bytes
      FROM unnest(:ids::text[]) WITH ORDINALITY AS wanted (id, place)
      JOIN receipt AS r ON r.merchant = :merchant AND r.id = wanted.id
    ) AS found
  ) AS weighed WHERE merchant = :merchant AND bytes_before < :maxBytes::int8 ORDER BY place`,
  reads: { receipt: receiptTable },
})

const unkeyed = { request: {}, response: {} }

/**
 * Inserts the receipt first, and the other parts read from it, because Citus executes the parts in order and
 * checks foreign keys in each.
 */
const insert = statement({
  name: 'insert-receipt',
  writes: receiptTable,
  text: `WITH made AS (
      INSERT INTO receipt (${columnsOf(receiptTable)}) SELECT ${placesOf(receiptTable)}
      WHERE NOT EXISTS (SELECT FROM receipt WHERE merchant = :merchant AND id = :id) RETURNING id),
    begun AS (
      INSERT INTO receipt_history (merchant, receipt_id, seq, kind, to_status, detail, at)
      SELECT :merchant, id, 1, 'created', :status::text, '{}', :createdAt FROM made),
    found_by AS (
      INSERT INTO receipt_term (merchant, term, created_at, receipt_id)
      SELECT :merchant, term, :createdAt, id FROM made, unnest(:terms::text[]) AS term),
    answered AS (
      INSERT INTO idempotency (merchant, method, path, key, request_hash, status, body, created_at)
      SELECT :merchant, :keyed.request.method::text, :keyed.request.path::text, :keyed.request.key::text,
        :keyed.request.requestHash::text, :keyed.response.status::smallint, :keyed.response.body::text, :keyed.at::int8
      FROM made WHERE :keyed.request.key::text IS NOT NULL)
    SELECT id FROM made`,
})

const addTerms = statement({
  name: 'add-receipt-terms',
  text: `INSERT INTO receipt_term (merchant, term, created_at, receipt_id)
    SELECT :merchant, term, :createdAt, :id FROM unnest(:terms::text[]) AS term ON CONFLICT DO NOTHING`,
})

const dropTerms = statement({
  name: 'drop-receipt-terms',
  text: `DELETE FROM receipt_term
    WHERE merchant = :merchant AND term = ANY(:terms::text[]) AND created_at = :createdAt AND receipt_id = :id`,
})

const addGeneratedId = statement({
  name: 'insert-made-receipt-id',
  text: 'INSERT INTO made_receipt_id (id, merchant) VALUES (:id, :merchant) ON CONFLICT (id) DO NOTHING',
})

const changing = <const Change extends string>(change: Change) =>
  `UPDATE receipt SET ${change} WHERE merchant = :merchant AND id = :id` as const

const replace = statement({
  name: 'replace-receipt',
  text: changing(assignAllBut(receiptTable, keptByReplace)),
  writes: receiptTable,
})

const save = statement({
  name: 'save-receipt-progress',
  text: changing(assign(receiptTable, progress)),
  writes: receiptTable,
})

const reported = `told AS (INSERT INTO receipt_history (merchant, receipt_id, ${columnsOf(historyTable)})
      SELECT :merchant, :id, * FROM ${eachOf(historyTable)})` as const

const saveReported = statement({
  name: 'save-receipt-progress-told',
  text: `WITH ${reported} ${changing(assign(receiptTable, progress))}`,
  writes: receiptTable,
})

/**
 * Excludes the new entry by its number: when it counts, a cluster has already inserted the entry, but a
 * single PostgreSQL server has not.
 */
const saveMoved = statement({
  name: 'save-receipt-status',
  text: `WITH ${reported}, saved AS (${changing(assign(receiptTable, progress))})
    SELECT count(*) AS before FROM receipt_history
    WHERE merchant = :merchant AND receipt_id = :id AND kind = 'status' AND to_status = :status AND seq < :historyCount`,
  writes: receiptTable,
  reads: { before: int8() },
})
