import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database.ts'

/** What happened to a receipt at one moment. `status` alone carries an edge; the others tell the story between. */
export type HistoryKind =
  | 'created'
  | 'replaced'
  | 'status'
  | 'attempt_opened'
  | 'payment_seen'
  | 'payment_orphaned'
  | 'payment_restored'
  | 'payment_credited'
  | 'loss_accepted'
  | 'distributed'
  | 'edited'
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

/** Adds an entry to the history of a receipt whose row is locked, under the number the caller counted up to. */
export async function appendHistory(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
  entry: HistoryEntry,
): Promise<void> {
  await tx.run(append, [
    merchant,
    id,
    entry.seq,
    entry.kind,
    entry.fromStatus ?? null,
    entry.toStatus ?? null,
    JSON.stringify(entry.detail),
    entry.at,
  ])
}

/** A receipt's history, oldest first. */
export async function listHistory(db: Database, merchant: Wallet, id: ReceiptId): Promise<HistoryEntry[]> {
  const rows = await db.rows<HistoryRow>(list, [merchant, id])
  return rows.map((row) => ({
    seq: row.seq,
    kind: row.kind as HistoryKind,
    fromStatus: (row.from_status ?? undefined) as ReceiptStatus | undefined,
    toStatus: (row.to_status ?? undefined) as ReceiptStatus | undefined,
    detail: row.detail,
    at: Number(row.at) as UnixMs,
  }))
}

/** How often a receipt came to the status it has, this time included. Nothing leads back to a new one. */
export async function countVisits(
  tx: Database,
  { merchant, id, status }: { merchant: Wallet; id: ReceiptId; status: ReceiptStatus },
): Promise<number> {
  const row = await tx.row<{ count: bigint }>(visits, [merchant, id, status])
  return Number(row?.count ?? 1n)
}

/** How often a receipt's history, as long as it was, said that something happened to payments in a block. */
export async function countInBlock(
  tx: Database,
  { merchant, id, historyCount }: { merchant: Wallet; id: ReceiptId; historyCount: bigint },
  kind: HistoryKind,
  blockHash: string,
): Promise<number> {
  const row = await tx.row<{ count: bigint }>(inBlock, [merchant, id, historyCount, kind, blockHash])
  return Number(row?.count ?? 0n)
}

type HistoryRow = {
  seq: bigint
  kind: string
  from_status: string | null
  to_status: string | null
  detail: Record<string, unknown>
  at: bigint
}

const append = {
  name: 'append-receipt-history',
  text: `INSERT INTO receipt_history (merchant, receipt_id, seq, kind, from_status, to_status, detail, at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
}

const list = {
  name: 'list-receipt-history',
  text: `SELECT seq, kind, from_status, to_status, detail, at FROM receipt_history
    WHERE merchant = $1 AND receipt_id = $2 ORDER BY seq LIMIT 500`,
}

const inBlock = {
  name: 'count-history-in-block',
  text: `SELECT count(*) AS count FROM receipt_history
    WHERE merchant = $1 AND receipt_id = $2 AND seq <= $3 AND kind = $4 AND detail ->> 'blockHash' = $5`,
}

const visits = {
  name: 'count-status-visits',
  text: `SELECT count(*) AS count FROM receipt_history
    WHERE merchant = $1 AND receipt_id = $2 AND kind = 'status' AND to_status = $3`,
}
