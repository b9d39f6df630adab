import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, json, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, table } from '../platform/database/table.ts'

/** Kind of a history entry. Only `status` changes the status. */
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

/** SQL of {@link listHistory}, for a statement that provides `:merchant` and a receipt `r`. */
export const shownHistory = `FROM receipt_history WHERE merchant = :merchant AND receipt_id = r.id
  AND (seq <= ${firstShown} OR seq > r.history_count - ${lastShown}) ORDER BY seq LIMIT 1000` as const

/** Returns how many entries {@link listHistory} omits. */
export function countLeftOut(historyCount: bigint): number {
  const shown = firstShown + lastShown
  return historyCount > shown ? Number(historyCount - shown) : 0
}

/**
 * Lists a receipt's history, oldest first. Omits the middle of a long history, because unauthenticated
 * clients can add entries without limit.
 */
export async function listHistory(
  db: Database,
  { merchant, id, historyCount }: { merchant: Wallet; id: ReceiptId; historyCount: bigint },
): Promise<HistoryEntry[]> {
  return db.rows(list({ merchant, id, firstShown, afterSeq: historyCount - lastShown }))
}

/** Counts entries of a kind for a block, up to and including entry `historyCount`. */
export async function countInBlock(
  tx: Database,
  { merchant, id, historyCount }: { merchant: Wallet; id: ReceiptId; historyCount: bigint },
  kind: HistoryKind,
  blockHash: string,
): Promise<number> {
  const row = await tx.row(inBlock({ merchant, id, historyCount, kind, blockHash }))
  return Number(row?.count ?? 0n)
}

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
