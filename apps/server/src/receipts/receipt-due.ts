import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { maxUnixMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** Receipt that a job must check. */
export type DueReceipt = { readonly merchant: Wallet; readonly receiptId: ReceiptId }

/** A `dueAt` for receipts that become due only when their status changes. */
export const never = maxUnixMs

/**
 * Schedules a check of a receipt at `dueAt`, or as soon as its status changes. Call it in the transaction
 * that creates the receipt.
 */
export async function watchReceipt(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
  dueAt: UnixMs,
): Promise<void> {
  await tx.run(watch({ merchant, id, dueAt }))
}

/** Makes a watched receipt due immediately. Has no effect if the receipt is not watched. */
export async function markMoved(tx: Database, merchant: Wallet, id: ReceiptId, now: UnixMs): Promise<void> {
  await tx.run(move({ merchant, id, now }))
}

/** Returns the receipts that are due, oldest first. Not scoped to a tenant: for jobs only. */
export async function listDueReceipts(db: Database, now: UnixMs, limit: number): Promise<DueReceipt[]> {
  return db.rows(list({ now, limit }))
}

/** Reschedules a receipt. The caller must hold its row lock. */
export async function postponeReceipt(tx: Database, due: DueReceipt, dueAt: UnixMs): Promise<void> {
  await tx.run(postpone({ merchant: due.merchant, receiptId: due.receiptId, dueAt }))
}

/** Stops watching a receipt. The caller must hold its row lock. */
export async function unwatchReceipt(tx: Database, due: DueReceipt): Promise<void> {
  await tx.run(unwatch({ merchant: due.merchant, receiptId: due.receiptId }))
}

const watch = statement({
  name: 'watch-receipt',
  text: 'INSERT INTO receipt_due (merchant, receipt_id, due_at) VALUES (:merchant, :id, :dueAt)',
})

const move = statement({
  name: 'mark-receipt-moved',
  text: 'UPDATE receipt_due SET due_at = least(due_at, :now) WHERE merchant = :merchant AND receipt_id = :id',
})

const list = statement({
  name: 'list-watched-receipts',
  reads: { merchant: text<Wallet>(), receiptId: text<ReceiptId>() },
  text: 'SELECT merchant, receipt_id FROM receipt_due WHERE due_at <= :now ORDER BY due_at LIMIT :limit',
})

const postpone = statement({
  name: 'postpone-receipt',
  text: 'UPDATE receipt_due SET due_at = :dueAt WHERE merchant = :merchant AND receipt_id = :receiptId',
})

const unwatch = statement({
  name: 'unwatch-receipt',
  text: 'DELETE FROM receipt_due WHERE merchant = :merchant AND receipt_id = :receiptId',
})
