import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, json, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, table } from '../platform/database/table.ts'

/** What happened to a receipt at one moment. `status` alone carries an edge; the others tell the story between. */
export type HistoryKind =
  | 'created'
  | 'replaced'
  | 'status'
  | 'attempt_opened'
  | 'provider_session_opened'
  | 'provider_event'
  | 'delivery_overdue'
  | 'provider_reversed'
  | 'payment_seen'
  | 'payment_orphaned'
  | 'payment_restored'
  | 'payment_credited'
  | 'loss_accepted'
  | 'distributed'
  | 'edited'
  | 'cancelled'
  | 'refund_logged'
  | 'refund_marked'
  | 'payment_applied'

/** A row of a receipt's history. */
export type HistoryEntry = {
  readonly seq: bigint
  readonly kind: HistoryKind
  readonly fromStatus: ReceiptStatus | undefined
  readonly toStatus: ReceiptStatus | undefined
  readonly detail: Readonly<Record<string, unknown>>
  readonly at: UnixMs
}

const firstShown = 100n
const lastShown = 400n

/** What {@link listHistory} lists of the receipt `r` in a statement that names it and its merchant. */
export const shownHistory = `FROM receipt_history WHERE merchant = :merchant AND receipt_id = r.id
  AND (seq <= ${firstShown} OR seq > r.history_count - ${lastShown}) ORDER BY seq LIMIT 1000` as const

/** How many entries of a history that long {@link listHistory} leaves out. */
export function countLeftOut(historyCount: bigint): number {
  const shown = firstShown + lastShown
  return historyCount > shown ? Number(historyCount - shown) : 0
}

/**
 * A receipt's history, oldest first. Of a long one the middle is left out: strangers can make it as long as
 * they like.
 */
export async function listHistory(
  db: Database,
  { merchant, id, historyCount }: { merchant: Wallet; id: ReceiptId; historyCount: bigint },
): Promise<HistoryEntry[]> {
  return db.rows(list({ merchant, id, firstShown, afterSeq: historyCount - lastShown }))
}

/** How often a receipt's history, as long as it was, said that something happened to payments in a block. */
export async function countInBlock(
  tx: Database,
  { merchant, id, historyCount }: { merchant: Wallet; id: ReceiptId; historyCount: bigint },
  kind: HistoryKind,
  blockHash: string,
): Promise<number> {
  const row = await tx.row(inBlock({ merchant, id, historyCount, kind, blockHash }))
  return Number(row?.count ?? 0n)
}

/** How an entry is stored. */
export const historyTable = table<HistoryEntry>('receipt_history', {
  seq: int8(),
  kind: text(),
  fromStatus: optional(text()),
  toStatus: optional(text()),
  detail: json(),
  at: time(),
})

const list = statement({
  name: 'list-receipt-history',
  text: `SELECT ${columnsOf(historyTable)} FROM receipt_history
    WHERE merchant = :merchant AND receipt_id = :id AND (seq <= :firstShown OR seq > :afterSeq)
      ORDER BY seq LIMIT 1000`,
  reads: historyTable,
})

const inBlock = statement({
  name: 'count-history-in-block',
  reads: { count: int8() },
  text: `SELECT count(*) AS count FROM receipt_history
    WHERE merchant = :merchant AND receipt_id = :id AND seq <= :historyCount AND kind = :kind
      AND detail ->> 'blockHash' = :blockHash`,
})
