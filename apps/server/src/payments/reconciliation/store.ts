import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'
import type { ArrivedMoney, PaidMoney } from './judge-funds.ts'

/** A receipt whose reconciliation is to be looked at. */
export type QueuedReceipt = {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly queuedAt: UnixMs
}

/** Puts receipts on the list, to be looked at now. */
export async function queueReconcile(
  tx: Database,
  receipts: readonly { readonly merchant: Wallet; readonly receiptId: string }[],
  now: UnixMs,
): Promise<void> {
  if (receipts.length === 0) return
  const unique = new Map(receipts.map((each) => [`${each.merchant}/${each.receiptId}`, each]))
  const rows = [...unique.values()]
  await tx.run(queue, [rows.map(({ merchant }) => merchant), rows.map(({ receiptId }) => receiptId), now])
}

/** The receipts that are to be looked at by now. */
export async function listQueued(db: Database, now: UnixMs, limit: number): Promise<QueuedReceipt[]> {
  const rows = await db.rows<{ merchant: string; receipt_id: string; queued_at: bigint }>(listDue, [
    now,
    limit,
  ])
  return rows.map((row) => ({
    merchant: row.merchant as Wallet,
    receiptId: row.receipt_id as ReceiptId,
    queuedAt: Number(row.queued_at) as UnixMs,
  }))
}

/** Has a receipt looked at again later. Without effect where it was queued anew meanwhile. */
export async function postponeReconcile(db: Database, queued: QueuedReceipt, dueAt: UnixMs): Promise<void> {
  await db.run(postpone, [queued.merchant, queued.receiptId, queued.queuedAt, dueAt])
}

/** Takes a receipt off the list. Without effect where it was queued anew meanwhile. */
export async function dropReconcile(db: Database, queued: QueuedReceipt): Promise<void> {
  await db.run(drop, [queued.merchant, queued.receiptId, queued.queuedAt])
}

/**
 * All money ever seen for a receipt that no reorg took back. What was applied to it from the inbox is left out,
 * what came to its deposit addresses and was applied elsewhere is not: a sweep took that along.
 */
export async function listPaidMoney(
  db: Database,
  chain: number,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<PaidMoney[]> {
  const rows = await db.rows<PaidRow>(listPaid, [merchant, chain, receiptId])
  return rows.map((row) => ({
    isCredited: row.state === 'credited',
    isCall: row.kind === 'call',
    place: `${row.tx_hash}/${row.log_index}`,
    source: `${row.reference}/${row.token_address}`,
    units: row.amount,
    blockNumber: row.block_number,
  }))
}

/** All money that reached the split for a receipt, in the order of the chain. */
export async function listArrivedMoney(
  db: Database,
  chain: number,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<ArrivedMoney[]> {
  const rows = await db.rows<ArrivedRow>(listArrived, [merchant, chain, receiptId])
  return rows.map((row) => ({
    isSweep: row.kind === 'sweep',
    place: `${row.tx_hash}/${row.log_index}`,
    source: `${row.reference}/${row.token_address}`,
    units: row.amount,
    settledBy: row.distributed_tx ?? undefined,
    held: row.held ?? undefined,
  }))
}

type PaidRow = {
  state: string
  kind: string
  tx_hash: string
  log_index: bigint
  reference: string
  token_address: string
  amount: bigint
  block_number: bigint
}

type ArrivedRow = {
  kind: string
  tx_hash: string
  log_index: bigint
  reference: string
  token_address: string
  amount: bigint
  distributed_tx: string | null
  held: Record<string, string> | null
}

const queue = {
  name: 'queue-reconcile',
  text: `INSERT INTO reconcile_due (merchant, receipt_id, queued_at, due_at)
    SELECT t.merchant, t.receipt_id, $3::int8, $3::int8 FROM unnest($1::text[], $2::text[]) AS t(merchant, receipt_id)
    ON CONFLICT (merchant, receipt_id) DO UPDATE SET queued_at = excluded.queued_at, due_at = excluded.due_at`,
}

const listDue = {
  name: 'list-reconcile-due',
  text: `SELECT merchant, receipt_id, queued_at FROM reconcile_due WHERE due_at <= $1 ORDER BY due_at LIMIT $2`,
}

const postpone = {
  name: 'postpone-reconcile',
  text: `UPDATE reconcile_due SET due_at = $4 WHERE merchant = $1 AND receipt_id = $2 AND queued_at = $3`,
}

const drop = {
  name: 'drop-reconcile',
  text: `DELETE FROM reconcile_due WHERE merchant = $1 AND receipt_id = $2 AND queued_at = $3`,
}

const listPaid = {
  name: 'list-paid-money',
  text: `SELECT p.state, p.kind, p.tx_hash, p.log_index, a.reference, p.token_address, p.amount, p.block_number
    FROM payment p JOIN attempt a ON a.merchant = $1 AND a.id = p.attempt_id
    WHERE p.merchant = $1 AND p.chain = $2 AND p.receipt_id = $3 AND p.state <> 'orphaned'
      AND p.swept_tx IS DISTINCT FROM 'applied'
    UNION ALL
    SELECT 'unmatched', p.kind, p.tx_hash, p.log_index, a.reference, p.token_address, p.amount, p.block_number
    FROM unmatched_payment u JOIN payment p ON p.merchant = $1 AND p.chain = $2 AND p.tx_hash = u.tx_hash
      AND p.log_index = u.log_index AND p.address = u.address
    JOIN attempt a ON a.merchant = $1 AND a.receipt_id = $3 AND a.deposit_address = p.source
    WHERE u.merchant = $1 AND u.chain = $2 AND u.receipt_id = $3 AND u.state = 'applied' AND p.kind <> 'call'`,
}

const listArrived = {
  name: 'list-arrived-money',
  text: `SELECT kind, tx_hash, log_index, reference, token_address, amount, distributed_tx, held FROM split_arrival
    WHERE merchant = $1 AND chain = $2 AND receipt_id = $3 AND orphaned_at IS NULL
    ORDER BY block_number, log_index`,
}
