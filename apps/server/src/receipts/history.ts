import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'

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

/** Adds entries to the history of a receipt whose row is locked, under the numbers the caller counted up to. */
export async function appendHistory(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
  ...entries: readonly HistoryEntry[]
): Promise<void> {
  if (entries.length === 0) return
  await tx.run(append, [
    merchant,
    id,
    entries.map(({ seq }) => seq),
    entries.map(({ kind }) => kind),
    entries.map(({ fromStatus }) => fromStatus ?? null),
    entries.map(({ toStatus }) => toStatus ?? null),
    entries.map(({ detail }) => JSON.stringify(detail)),
    entries.map(({ at }) => at),
  ])
}

const firstShown = 100n
const lastShown = 400n

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
  const rows = await db.rows<HistoryRow>(list, [merchant, id, firstShown, historyCount - lastShown])
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
    SELECT $1, $2, * FROM unnest($3::int8[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::int8[])`,
}

const list = {
  name: 'list-receipt-history',
  text: `SELECT seq, kind, from_status, to_status, detail, at FROM receipt_history
    WHERE merchant = $1 AND receipt_id = $2 AND (seq <= $3 OR seq > $4) ORDER BY seq LIMIT 1000`,
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
