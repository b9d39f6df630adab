import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { maxUnixMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** A receipt that is to be looked at by whoever put it on the list. */
export type DueReceipt = { readonly merchant: Wallet; readonly receiptId: ReceiptId }

/** Later than everything: nothing but a move of the status makes such a receipt due. */
export const never = maxUnixMs

/**
 * Puts a receipt on the list, in the transaction that makes it. It is due at `dueAt`, and at once whenever its
 * status moves; who put it there reads the receipt then and decides.
 */
export async function watchReceipt(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
  dueAt: UnixMs,
): Promise<void> {
  await tx.run(watch({ merchant, id, dueAt }))
}

/** Makes a receipt due whose status has moved, in the same transaction; nothing where nobody watches it. */
export async function markMoved(tx: Database, merchant: Wallet, id: ReceiptId, now: UnixMs): Promise<void> {
  await tx.run(move({ merchant, id, now }))
}

/** The receipts that are due by now, the longest due first. */
export async function listDueReceipts(db: Database, now: UnixMs, limit: number): Promise<DueReceipt[]> {
  return db.rows(list({ now, limit }))
}

/** Has a receipt whose row is locked looked at again at `dueAt`, or when its status moves. */
export async function postponeReceipt(tx: Database, due: DueReceipt, dueAt: UnixMs): Promise<void> {
  await tx.run(postpone({ merchant: due.merchant, receiptId: due.receiptId, dueAt }))
}

/** Takes a receipt whose row is locked off the list: whatever happens to it, nobody waits for it any more. */
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
