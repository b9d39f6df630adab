import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { int8, json, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { ArrivedMoney, PaidMoney } from './evaluate-funds.ts'

export type QueuedReceipt = {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly queuedAt: UnixMs
}

export async function queueReconcile(
  tx: Database,
  receipts: readonly { readonly merchant: Wallet; readonly receiptId: string }[],
  now: UnixMs,
): Promise<void> {
  if (receipts.length === 0) return
  const unique = new Map(receipts.map((each) => [`${each.merchant}/${each.receiptId}`, each]))
  const rows = [...unique.values()]
  await tx.run(queue({ each: rows, now }))
}

export async function listQueued(db: Database, now: UnixMs, limit: number): Promise<QueuedReceipt[]> {
  return db.rows(listDue({ now, limit }))
}

/** Postpones the check. Has no effect if the receipt was queued again in the meantime. */
export async function postponeReconcile(db: Database, queued: QueuedReceipt, dueAt: UnixMs): Promise<void> {
  await db.run(
    postpone({ merchant: queued.merchant, receiptId: queued.receiptId, queuedAt: queued.queuedAt, dueAt }),
  )
}

export async function dropReconcile(db: Database, queued: QueuedReceipt): Promise<void> {
  await db.run(drop({ merchant: queued.merchant, receiptId: queued.receiptId, queuedAt: queued.queuedAt }))
}

/**
 * Returns all payments seen for a receipt, except orphaned ones.
 *
 * Payments applied from the inbox are excluded. Deposits that were applied to another receipt are included,
 * because a sweep also moved those deposits.
 */
export async function listPaidMoney(
  db: Database,
  chain: number,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<PaidMoney[]> {
  const rows = await db.rows(listPaid({ merchant, chain, receiptId }))
  return rows.map((row) => ({
    isCredited: row.state === 'credited',
    isCall: row.kind === 'call',
    place: `${row.txHash}/${row.logIndex}`,
    source: `${row.reference}/${row.tokenAddress}`,
    units: row.amount,
    blockNumber: row.blockNumber,
  }))
}

export async function listArrivedMoney(
  db: Database,
  chain: number,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<ArrivedMoney[]> {
  const rows = await db.rows(listArrived({ merchant, chain, receiptId }))
  return rows.map((row) => ({
    isSweep: row.kind === 'sweep',
    place: `${row.txHash}/${row.logIndex}`,
    source: `${row.reference}/${row.tokenAddress}`,
    units: row.amount,
    settledBy: row.distributedTx,
    held: row.held,
  }))
}

const queue = statement({
  name: 'queue-reconcile',
  text: `INSERT INTO reconcile_due (merchant, receipt_id, queued_at, due_at)
    SELECT t.merchant, t.receipt_id, :now::int8, :now::int8 FROM unnest(:each.merchant::text[],
      :each.receiptId::text[]) AS t(merchant, receipt_id)
    ON CONFLICT (merchant, receipt_id) DO UPDATE SET queued_at = excluded.queued_at, due_at = excluded.due_at`,
})

const listDue = statement({
  name: 'list-reconcile-due',
  reads: { merchant: text<Wallet>(), receiptId: text<ReceiptId>(), queuedAt: time() },
  text: `SELECT merchant, receipt_id, queued_at FROM reconcile_due WHERE due_at <= :now ORDER BY due_at LIMIT :limit`,
})

const postpone = statement({
  name: 'postpone-reconcile',
  text: `UPDATE reconcile_due SET due_at = :dueAt WHERE merchant = :merchant AND receipt_id = :receiptId
    AND queued_at = :queuedAt`,
})

const drop = statement({
  name: 'drop-reconcile',
  text: `DELETE FROM reconcile_due WHERE merchant = :merchant AND receipt_id = :receiptId AND queued_at = :queuedAt`,
})

const listPaid = statement({
  name: 'list-paid-money',
  reads: {
    state: text(),
    kind: text(),
    txHash: text(),
    logIndex: int8(),
    reference: text(),
    tokenAddress: text(),
    amount: int8(),
    blockNumber: int8(),
  },
  text: `SELECT p.state, p.kind, p.tx_hash, p.log_index, a.reference, p.token_address, p.amount, p.block_number
    FROM payment p JOIN attempt a ON a.merchant = :merchant AND a.id = p.attempt_id
    WHERE p.merchant = :merchant AND p.chain = :chain AND p.receipt_id = :receiptId AND p.state <> 'orphaned'
      AND p.swept_tx IS DISTINCT FROM 'applied'
    UNION ALL
    SELECT 'unmatched', p.kind, p.tx_hash, p.log_index, a.reference, p.token_address, p.amount, p.block_number
    FROM unmatched_payment u JOIN payment p ON p.merchant = :merchant AND p.chain = :chain AND p.tx_hash = u.tx_hash
      AND p.log_index = u.log_index AND p.address = u.address
    JOIN attempt a ON a.merchant = :merchant AND a.receipt_id = :receiptId AND a.deposit_address = p.source
    WHERE u.merchant = :merchant AND u.chain = :chain AND u.receipt_id = :receiptId AND u.state = 'applied'
      AND p.kind <> 'call'`,
})

const listArrived = statement({
  name: 'list-arrived-money',
  reads: {
    kind: text(),
    txHash: text(),
    logIndex: int8(),
    reference: text(),
    tokenAddress: text(),
    amount: int8(),
    distributedTx: optional(text()),
    held: optional(json<Record<string, string>>()),
  },
  text: `SELECT kind, tx_hash, log_index, reference, token_address, amount, distributed_tx, held FROM split_arrival
    WHERE merchant = :merchant AND chain = :chain AND receipt_id = :receiptId AND orphaned_at IS NULL
    ORDER BY block_number, log_index`,
})

export async function reopenReceipt(
  needs: { tx: Database; clock: Clock },
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<void> {
  await queueReconcile(needs.tx, [{ merchant, receiptId }], needs.clock.now())
}
