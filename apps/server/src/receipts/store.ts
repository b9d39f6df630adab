import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { assign, assignAllBut, columnsOf, eachOf, valuesOf } from '../platform/database/table.ts'
import { type HistoryEntry, historyTable } from './history.ts'
import type { Receipt } from './receipt.ts'
import { type Searchable, termsOf } from './search-terms.ts'
import { bytesOf, receiptTable } from './table.ts'
import { noteChange, noteNew, standingNow } from './tally-columns.ts'

/** The merchant's receipt, or `undefined`. */
export async function findReceipt(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<Receipt | undefined> {
  return db.row(find({ merchant, id }))
}

/** Whether the merchant has a receipt of that id. It waits for nobody who is changing it, as an insert would. */
export async function isIdTaken(db: Database, merchant: Wallet, id: ReceiptId): Promise<boolean> {
  return (await db.row(taken({ merchant, id }))) !== undefined
}

/** As {@link findReceipt}, and holds the row until the transaction ends: nobody else changes it meanwhile. */
export async function lockReceipt(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<Receipt | undefined> {
  return tx.row(lock({ merchant, id }))
}

/** The merchant's receipts with those ids, in their order: the first of them that come to `maxBytes`, one at least. */
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

/**
 * Stores a new receipt with the first row of its history, what it is found by and its part of the tallies; `false`
 * where the merchant has that id already.
 */
export async function insertReceipt(db: Database, receipt: Receipt): Promise<boolean> {
  return db.transaction(async (tx) => {
    if ((await tx.run(insert(receipt))) === 0) return false
    await tx.run(begin({ ...receipt, terms: termsOf(receipt) }))
    return true
  })
}

/** Stores, as {@link insertReceipt}, one whose id is known to be new: in one statement, which fails where it is not. */
export async function insertNewReceipt(tx: Database, receipt: Receipt): Promise<void> {
  await tx.run(insertNew({ ...receipt, terms: termsOf(receipt) }))
}

/** Notes whose an id is that Sluice made; `false` where it is somebody's already. */
export async function insertGeneratedId(tx: Database, merchant: Wallet, id: ReceiptId): Promise<boolean> {
  return (await tx.run(addGeneratedId({ id, merchant }))) > 0
}

/**
 * Replaces what the caller sent of a receipt whose row is locked; its creation time and history stay.
 *
 * @param before - What it was found by until now.
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

/** Saves what a status change or the watcher changed of a receipt whose row is locked, and what its history says of it. */
export async function saveProgress(
  tx: Database,
  receipt: Receipt,
  ...entries: readonly HistoryEntry[]
): Promise<void> {
  await tx.run(entries.length === 0 ? save(receipt) : saveTold({ ...receipt, each: entries.map(stored) }))
}

/**
 * Saves another status of a receipt whose row is locked, and the entry of its history that says so.
 *
 * @returns how often the receipt came to that status, this time included. Nothing leads back to a new one.
 */
export async function saveStatus(tx: Database, receipt: Receipt, entry: HistoryEntry): Promise<number> {
  const row = await tx.row(saveMoved({ ...receipt, each: [stored(entry)] }))
  return Number(row?.before ?? 0n) + 1
}

function stored(entry: HistoryEntry) {
  return { ...entry, detail: JSON.stringify(entry.detail) }
}

/** What a status change or the watcher changes. */
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

/** What is no caller's to send again; all else of a receipt is replaced. */
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

const taken = statement({
  name: 'find-taken-id',
  text: 'SELECT id FROM receipt WHERE merchant = :merchant AND id = :id',
  reads: { id: text() },
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

const insert = statement({
  name: 'insert-receipt',
  text: `INSERT INTO receipt ${valuesOf(receiptTable)} ON CONFLICT (merchant, id) DO NOTHING`,
  writes: receiptTable,
})

/**
 * What follows from a receipt that is new. None of it reads what another part of the statement gives: on a cluster that
 * would be sent to all machines first, and fail for everybody while one is away.
 */
const begun = `begun AS (
      INSERT INTO receipt_history (merchant, receipt_id, seq, kind, to_status, detail, at)
      VALUES (:merchant, :id, 1, 'created', :status, '{}', :createdAt)),
    found_by AS (
      INSERT INTO receipt_term (merchant, term, created_at, receipt_id)
      SELECT :merchant, term, :createdAt, :id FROM unnest(:terms::text[]) AS term),
    counted AS (${noteNew})` as const

const begin = statement({
  name: 'begin-receipt',
  text: `WITH ${begun} SELECT 1`,
  writes: receiptTable,
})

const insertNew = statement({
  name: 'insert-new-receipt',
  text: `WITH made AS (INSERT INTO receipt ${valuesOf(receiptTable)}), ${begun} SELECT 1`,
  writes: receiptTable,
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

/** A change of one receipt, whose row is locked, that is noted in the tallies with it. */
const changing = <const Change extends string, const Note extends string>(change: Change, note: Note) =>
  `WITH noted AS (${note})
    UPDATE receipt SET ${change} WHERE merchant = :merchant AND id = :id` as const

const replace = statement({
  name: 'replace-receipt',
  text: changing(
    assignAllBut(receiptTable, keptByReplace),
    noteChange({
      currency: ':currency::text',
      standing: 'old.standing',
      total: ':totalCents::int8',
      nativeTotal: ':nativeTotalCents::int8',
      fee: ':feeCents::int8',
      refunded: 'old.refunded_cents',
    }),
  ),
  writes: receiptTable,
})

const noteProgress = noteChange({
  currency: 'old.currency',
  standing: standingNow,
  total: 'old.total_cents',
  nativeTotal: 'old.native_total_cents',
  fee: 'old.fee_cents',
  refunded: ':refundedCents::int8',
})

const save = statement({
  name: 'save-receipt-progress',
  text: changing(assign(receiptTable, progress), noteProgress),
  writes: receiptTable,
})

const told = `told AS (INSERT INTO receipt_history (merchant, receipt_id, ${columnsOf(historyTable)})
      SELECT :merchant, :id, * FROM ${eachOf(historyTable)})` as const

const saveTold = statement({
  name: 'save-receipt-progress-told',
  text: `WITH noted AS (${noteProgress}), ${told}
    UPDATE receipt SET ${assign(receiptTable, progress)} WHERE merchant = :merchant AND id = :id`,
  writes: receiptTable,
})

/** The count leaves out the new entry by its number: a cluster has inserted that when it counts, and one PostgreSQL has not. */
const saveMoved = statement({
  name: 'save-receipt-status',
  text: `WITH noted AS (${noteProgress}), ${told},
    saved AS (UPDATE receipt SET ${assign(receiptTable, progress)} WHERE merchant = :merchant AND id = :id)
    SELECT count(*) AS before FROM receipt_history
    WHERE merchant = :merchant AND receipt_id = :id AND kind = 'status' AND to_status = :status AND seq < :historyCount`,
  writes: receiptTable,
  reads: { before: int8() },
})
