import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { isLockTimeout } from '../../platform/database/degraded.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, eachOf } from '../../platform/database/table.ts'
import type { Receipt } from '../receipt.ts'
import { termsOf } from '../search-terms.ts'
import { receiptTable } from '../table.ts'
import { tallied } from '../tally-columns.ts'

/**
 * Stores new receipts of any merchants as `insertReceipt` stores one, all in one statement; for each, in their order,
 * whether it was stored: `false` where its merchant has that id already. No two have the same merchant and id.
 */
export async function insertReceipts(db: Database, receipts: readonly Receipt[]): Promise<boolean[]> {
  const terms = receipts.map((receipt) => termsOf(receipt).join(' '))
  const rows = await besideHeld(
    () => db.rows(insert({ each: receipts, terms })),
    () => db.rows(insertBeside({ each: receipts, terms, merchants: merchantsOf(receipts) })),
  )
  const stored = new Set(rows.map(({ merchant, id }) => `${merchant} ${id}`))
  return receipts.map(({ merchant, id }) => stored.has(`${merchant} ${id}`))
}

/**
 * What follows from receipts that a statement has `made` of those that it was `sent`: their part of the tallies, what
 * they are found by, and the first row of their history.
 */
export const afterMade = `come AS (SELECT merchant, ${tallied} FROM made),
  counted AS (
    INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, total_cents, native_cents,
      fee_cents, refunded_cents)
    SELECT merchant, quarter, currency, status, count(*), sum(total_cents), sum(native_cents), sum(fee_cents),
      sum(refunded_cents)
    FROM come GROUP BY merchant, quarter, currency, status),
  found_by AS (
    INSERT INTO receipt_term (merchant, term, created_at, receipt_id)
    SELECT made.merchant, term, made.created_at, made.id
    FROM made JOIN sent ON sent.merchant = made.merchant AND sent.id = made.id,
      unnest(string_to_array(sent.terms, ' ')) AS term),
  begun AS (
    INSERT INTO receipt_history (merchant, receipt_id, seq, kind, to_status, detail, at)
    SELECT merchant, id, 1, 'created', status, '{}', created_at FROM made)` as const

/** For the list of a statement's parts: ends it where it waits for a row for a moment. Only where it is its own transaction. */
export const hasty = "(SELECT set_config('lock_timeout', '100ms', true)) AS hasty" as const

/**
 * Stores in haste, and otherwise those of new ids alone: an insert waits for whoever is changing the row that has its id
 * already, be it for seconds, and all others of its statement would wait with it. To ask first each time costs half as
 * much again, since PostgreSQL then plans each statement for its values.
 */
export async function besideHeld<Rows>(
  inHaste: () => Promise<Rows>,
  ofNewAlone: () => Promise<Rows>,
): Promise<Rows> {
  try {
    return await inHaste()
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    return ofNewAlone()
  }
}

/**
 * Of receipts that a statement was `sent`, those whose id is nobody's yet, by what was committed before. The offset has
 * it asked for each row by its key, whatever the planner makes of the table.
 *
 * `merchants` has each merchant once, in order: the list is sorted for each row anew.
 */
export const isNew = `NOT EXISTS (SELECT FROM receipt AS there
        WHERE there.merchant = ANY(:merchants::text[]) AND there.merchant = sent.merchant AND there.id = sent.id OFFSET 0)` as const

/** `merchants` of {@link isNew}. */
export function merchantsOf(receipts: readonly Receipt[]): Wallet[] {
  return [...new Set(receipts.map(({ merchant }) => merchant))].sort()
}

const sentRows = `ROWS FROM (${eachOf(receiptTable)}, unnest(:terms::text[]))
        AS each (${columnsOf(receiptTable)}, terms)` as const

/**
 * Every row carries its own merchant, and what follows from it is joined by merchant and id. They are stored in one
 * order, so that two statements that meet at the same ids wait for each other in turn. Terms are hashes without a
 * space: a list of lists has no array.
 */
const insert = statement({
  name: 'insert-receipts',
  writes: receiptTable,
  reads: { merchant: text<Wallet>(), id: text<ReceiptId>() },
  text: `WITH sent AS (
      SELECT each.* FROM ${sentRows}, ${hasty}),
    made AS (
      INSERT INTO receipt (${columnsOf(receiptTable)})
      SELECT ${columnsOf(receiptTable)} FROM sent ORDER BY merchant, id
      ON CONFLICT (merchant, id) DO NOTHING
      RETURNING *),
    ${afterMade}
    SELECT merchant, id FROM made`,
})

const insertBeside = statement({
  name: 'insert-receipts-beside-held',
  writes: receiptTable,
  reads: { merchant: text<Wallet>(), id: text<ReceiptId>() },
  text: `WITH sent AS (
      SELECT each.* FROM ${sentRows}),
    made AS (
      INSERT INTO receipt (${columnsOf(receiptTable)})
      SELECT ${columnsOf(receiptTable)} FROM sent WHERE ${isNew} ORDER BY merchant, id
      ON CONFLICT (merchant, id) DO NOTHING
      RETURNING *),
    ${afterMade}
    SELECT merchant, id FROM made`,
})
