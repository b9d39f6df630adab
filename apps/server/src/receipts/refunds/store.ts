import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Refund, RefundItem, RefundKind, RefundMark } from './refund.ts'

/**
 * Stores a refund and, where it has a transaction, puts it on the list of those to be looked at. `false`
 * where another refund of the merchant has that transaction.
 */
export async function insertRefund(tx: Database, refund: Refund): Promise<boolean> {
  const count = await tx.run(insert, [
    refund.merchant,
    refund.id,
    refund.receiptId ?? null,
    refund.unmatchedId ?? null,
    refund.kind,
    refund.buyer ?? null,
    refund.usdCents ?? null,
    refund.items ? JSON.stringify(refund.items) : null,
    refund.tokenAddress ?? null,
    refund.units ?? null,
    refund.txHash ?? null,
    refund.madeBy,
    refund.madeAt,
  ])
  if (count > 0 && refund.txHash) await tx.run(queue, [refund.merchant, refund.id, refund.madeAt])
  return count > 0
}

/** The refunds of a receipt, oldest first. */
export async function listRefunds(db: Database, merchant: Wallet, receiptId: ReceiptId): Promise<Refund[]> {
  return (await db.rows<RefundRow>(list, [merchant, receiptId])).map(fromRow)
}

/** The merchant's refund, or `undefined`. */
export async function findRefund(db: Database, merchant: Wallet, id: string): Promise<Refund | undefined> {
  const row = await db.row<RefundRow>(find, [merchant, id])
  return row && fromRow(row)
}

/** The merchant's refund that a transaction stands for; mismatches were none. */
export async function findRefundByTransaction(
  db: Database,
  merchant: Wallet,
  txHash: string,
): Promise<Refund | undefined> {
  const row = await db.row<RefundRow>(findByTransaction, [merchant, txHash])
  return row && fromRow(row)
}

/** Saves what the chain says of a refund. */
export async function saveRefundMark(tx: Database, refund: Refund): Promise<void> {
  await tx.run(saveMark, [
    refund.merchant,
    refund.id,
    refund.mark ?? null,
    refund.fault ?? null,
    refund.markedAt ?? null,
  ])
}

/** A refund whose transaction is to be looked at. */
export type DueRefund = { readonly merchant: Wallet; readonly refundId: string }

/** The refunds to be looked at by now, the longest due first. */
export async function listDueRefunds(db: Database, now: UnixMs, limit: number): Promise<DueRefund[]> {
  const rows = await db.rows<{ merchant: string; refund_id: string }>(listDue, [now, limit])
  return rows.map((row) => ({ merchant: row.merchant as Wallet, refundId: row.refund_id }))
}

/** Has a refund looked at again at `dueAt`. */
export async function postponeRefund(db: Database, due: DueRefund, dueAt: UnixMs): Promise<void> {
  await db.run(postpone, [due.merchant, due.refundId, dueAt])
}

/** Takes a refund off the list. */
export async function dropRefund(tx: Database, due: DueRefund): Promise<void> {
  await tx.run(drop, [due.merchant, due.refundId])
}

type RefundRow = {
  merchant: string
  id: string
  receipt_id: string | null
  unmatched_id: string | null
  kind: string
  buyer: string | null
  usd_cents: bigint | null
  items: RefundItem[] | null
  token_address: string | null
  units: bigint | null
  tx_hash: string | null
  mark: string | null
  fault: string | null
  made_by: string
  made_at: bigint
  marked_at: bigint | null
}

function fromRow(row: RefundRow): Refund {
  return {
    merchant: row.merchant as Wallet,
    id: row.id,
    kind: row.kind as RefundKind,
    receiptId: (row.receipt_id ?? undefined) as ReceiptId | undefined,
    unmatchedId: row.unmatched_id ?? undefined,
    buyer: (row.buyer ?? undefined) as Wallet | undefined,
    usdCents: (row.usd_cents ?? undefined) as Cents | undefined,
    items: row.items ?? undefined,
    tokenAddress: (row.token_address ?? undefined) as Wallet | undefined,
    units: (row.units ?? undefined) as TokenUnits | undefined,
    txHash: (row.tx_hash ?? undefined) as Refund['txHash'],
    mark: (row.mark ?? undefined) as RefundMark | undefined,
    fault: row.fault ?? undefined,
    madeBy: row.made_by,
    madeAt: Number(row.made_at) as UnixMs,
    markedAt: row.marked_at === null ? undefined : (Number(row.marked_at) as UnixMs),
  }
}

const columns = `merchant, id, receipt_id, unmatched_id, kind, buyer, usd_cents, items, token_address, units, tx_hash,
  mark, fault, made_by, made_at, marked_at`

const insert = {
  name: 'insert-refund',
  text: `INSERT INTO refund (merchant, id, receipt_id, unmatched_id, kind, buyer, usd_cents, items, token_address,
      units, tx_hash, made_by, made_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
}

const queue = {
  name: 'queue-refund',
  text: 'INSERT INTO refund_due (merchant, refund_id, due_at) VALUES ($1, $2, $3)',
}

const list = {
  name: 'list-refunds',
  text: `SELECT ${columns} FROM refund WHERE merchant = $1 AND receipt_id = $2 ORDER BY made_at, id`,
}

const find = {
  name: 'find-refund',
  text: `SELECT ${columns} FROM refund WHERE merchant = $1 AND id = $2`,
}

const findByTransaction = {
  name: 'find-refund-by-transaction',
  text: `SELECT ${columns} FROM refund
    WHERE merchant = $1 AND tx_hash = $2 AND mark IS DISTINCT FROM 'tx_mismatch'`,
}

const saveMark = {
  name: 'save-refund-mark',
  text: 'UPDATE refund SET mark = $3, fault = $4, marked_at = $5 WHERE merchant = $1 AND id = $2',
}

const listDue = {
  name: 'list-due-refunds',
  text: 'SELECT merchant, refund_id FROM refund_due WHERE due_at <= $1 ORDER BY due_at LIMIT $2',
}

const postpone = {
  name: 'postpone-refund',
  text: 'UPDATE refund_due SET due_at = $3 WHERE merchant = $1 AND refund_id = $2',
}

const drop = {
  name: 'drop-refund',
  text: 'DELETE FROM refund_due WHERE merchant = $1 AND refund_id = $2',
}
