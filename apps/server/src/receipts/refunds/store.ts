import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, json, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { assign, columnsOf, table, valuesOf } from '../../platform/database/table.ts'
import type { Receipt } from '../receipt.ts'
import { type Refund, type RefundItem, takenCents } from './refund.ts'

/**
 * Inserts a refund and queues its transaction for a check. Returns `false` if another refund has that
 * transaction.
 */
export async function insertRefund(tx: Database, refund: Refund): Promise<boolean> {
  const isNew = (await tx.run(insert(refund))) > 0
  if (isNew && refund.txHash) await tx.run(queue(refund))
  return isNew
}

/** Returns all refunds of a receipt, the oldest first, mismatched ones included. */
export async function listRefunds(db: Database, merchant: Wallet, receiptId: ReceiptId): Promise<Refund[]> {
  return db.rows(list({ merchant, receiptId }))
}

/** Returns the refunds with these ids. */
export async function listRefundsById(
  db: Database,
  merchant: Wallet,
  ids: readonly string[],
): Promise<Refund[]> {
  return ids.length === 0 ? [] : db.rows(listById({ merchant, ids }))
}

/** Returns a refund of a receipt or of an unmatched payment. */
export async function findRefund(db: Database, merchant: Wallet, id: string): Promise<Refund | undefined> {
  return db.row(find({ merchant, id }))
}

export async function findRefundByTransaction(
  db: Database,
  merchant: Wallet,
  txHash: string,
): Promise<Refund | undefined> {
  return db.row(findByTransaction({ merchant, txHash }))
}

export async function saveRefundMark(tx: Database, refund: Refund): Promise<void> {
  await tx.run(saveMark(refund))
}

/** Refund whose transaction a job must check. */
export type DueRefund = { readonly merchant: Wallet; readonly refundId: string }

/** Returns the refunds that are due for a check. Not scoped to a tenant: only for jobs. */
export async function listDueRefunds(db: Database, now: UnixMs, limit: number): Promise<DueRefund[]> {
  return db.rows(listDue({ now, limit }))
}

/** Locks the check of a refund until the transaction ends. Returns `false` if the check has already ended. */
export async function holdRefund(tx: Database, due: DueRefund): Promise<boolean> {
  return (await tx.row(hold(due))) !== undefined
}

/** Reschedules the check of a refund. */
export async function postponeRefund(db: Database, due: DueRefund, dueAt: UnixMs): Promise<void> {
  await db.run(postpone({ ...due, dueAt }))
}

/** Ends the checks of a refund. The caller must hold its lock. */
export async function dropRefund(tx: Database, due: DueRefund): Promise<void> {
  await tx.run(drop(due))
}

export const refundTable = table<Refund>('refund', {
  merchant: text(),
  id: text(),
  kind: text(),
  receiptId: optional(text()),
  unmatchedId: optional(text()),
  buyer: optional(text()),
  usdCents: optional(int8()),
  items: optional(json<RefundItem[]>()),
  tokenAddress: optional(text()),
  units: optional(int8()),
  txHash: optional(text()),
  mark: optional(text()),
  error: optional(text()),
  madeBy: text(),
  madeAt: time(),
  markedAt: optional(time()),
})

/** SQL of {@link listRefunds}, for a statement that provides `:merchant` and a receipt `r`. */
export const refundsOfReceipt =
  'FROM refund WHERE merchant = :merchant AND receipt_id = r.id ORDER BY made_at, id'

const columns = columnsOf(refundTable)

const insert = statement({
  name: 'insert-refund',
  writes: refundTable,
  text: `INSERT INTO refund ${valuesOf(refundTable)} ON CONFLICT DO NOTHING`,
})

const queue = statement({
  name: 'queue-refund',
  text: 'INSERT INTO refund_due (merchant, refund_id, due_at) VALUES (:merchant, :id, :madeAt)',
})

const list = statement({
  name: 'list-refunds',
  reads: refundTable,
  text: `SELECT ${columns} FROM refund WHERE merchant = :merchant AND receipt_id = :receiptId ORDER BY made_at, id`,
})

const listById = statement({
  name: 'list-refunds-by-id',
  reads: refundTable,
  text: `SELECT ${columns} FROM refund WHERE merchant = :merchant AND id = ANY(:ids)`,
})

const find = statement({
  name: 'find-refund',
  reads: refundTable,
  text: `SELECT ${columns} FROM refund WHERE merchant = :merchant AND id = :id`,
})

const findByTransaction = statement({
  name: 'find-refund-by-transaction',
  reads: refundTable,
  text: `SELECT ${columns} FROM refund
    WHERE merchant = :merchant AND tx_hash = :txHash AND mark IS DISTINCT FROM 'tx_mismatch'`,
})

const saveMark = statement({
  name: 'save-refund-mark',
  writes: refundTable,
  text: `UPDATE refund SET ${assign(refundTable, ['mark', 'error', 'markedAt'])} WHERE merchant = :merchant AND id = :id`,
})

const listDue = statement({
  name: 'list-due-refunds',
  reads: { merchant: text<Wallet>(), refundId: text() },
  text: 'SELECT merchant, refund_id FROM refund_due WHERE due_at <= :now ORDER BY due_at LIMIT :limit',
})

const hold = statement({
  name: 'hold-refund',
  reads: { refundId: text() },
  text: 'SELECT refund_id FROM refund_due WHERE merchant = :merchant AND refund_id = :refundId FOR UPDATE',
})

const postpone = statement({
  name: 'postpone-refund',
  text: 'UPDATE refund_due SET due_at = :dueAt WHERE merchant = :merchant AND refund_id = :refundId',
})

const drop = statement({
  name: 'drop-refund',
  text: 'DELETE FROM refund_due WHERE merchant = :merchant AND refund_id = :refundId',
})

/**
 * Returns whether a receipt was cancelled and partly refunded. Later payments must not pay it: otherwise a
 * buyer could get part of the money back and then pay only the rest.
 */
export async function isReturned(
  tx: Database,
  { merchant, id, status, cancelledAt }: Pick<Receipt, 'merchant' | 'id' | 'status' | 'cancelledAt'>,
): Promise<boolean> {
  if (cancelledAt === undefined || isSettled(status)) return false
  return takenCents(await listRefunds(tx, merchant, id), 'price') > 0n
}
