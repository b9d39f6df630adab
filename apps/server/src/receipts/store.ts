import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import type { Receipt } from './receipt.ts'
import { fromRow, type ReceiptRow, writeLines, writePayment, writePricing } from './table.ts'

const columns = `merchant, id, status, origin, format, currency, total_cents, fee_cents, fee_hundredths, native_total_cents, lines,
  pricing, tax, brand_key, brand_name, redirect_url, return_url, webhook_url, on_success, provider_email, billing,
  metadata, transaction_id, content_hash, key_id, sealed_key, split_version, expires_at, created_at, updated_at,
  failure, transaction_hash, transaction_at, token, paid_units, buyer_wallet, payment, history_count`

/** The merchant's receipt, or `undefined`. */
export async function findReceipt(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<Receipt | undefined> {
  const row = await db.row<ReceiptRow>(find, [merchant, id])
  return row && fromRow(row)
}

/** As {@link findReceipt}, and holds the row until the transaction ends: nobody else changes it meanwhile. */
export async function lockReceipt(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<Receipt | undefined> {
  const row = await tx.row<ReceiptRow>(lock, [merchant, id])
  return row && fromRow(row)
}

/**
 * The merchant's newest receipts, newest first, after the place `before` where one is given: as many as are asked
 * for, or as few as come to `maxBytes`, but one at least. The database weighs them, so that no more is read.
 */
export async function listReceipts(
  db: Database,
  merchant: Wallet,
  room: { readonly limit: number; readonly maxBytes: number },
  before?: ListPlace,
): Promise<{ page: Receipt[]; hasMore: boolean }> {
  type Weighed = ReceiptRow & { found: bigint }
  const { limit, maxBytes } = room
  const rows = before
    ? await db.rows<Weighed>(listAfter, [merchant, limit + 1, maxBytes, before.createdAt, before.id])
    : await db.rows<Weighed>(list, [merchant, limit + 1, maxBytes])
  const page = rows.slice(0, limit).map(fromRow)
  return { page, hasMore: (rows[0]?.found ?? 0n) > BigInt(page.length) }
}

/** Where a page of the list ended. */
export type ListPlace = { readonly createdAt: number; readonly id: string }

/** Stores a new receipt with the first row of its history; `false` where the merchant has that id already. */
export async function insertReceipt(db: Database, receipt: Receipt): Promise<boolean> {
  const count = await db.run(insert, [
    receipt.merchant,
    receipt.id,
    receipt.status,
    receipt.origin,
    receipt.format,
    receipt.currency,
    receipt.totalCents,
    receipt.feeCents,
    receipt.nativeTotalCents ?? null,
    writeLines(receipt.lines),
    receipt.pricing ? writePricing(receipt.pricing) : null,
    receipt.tax ? JSON.stringify(receipt.tax) : null,
    receipt.brandKey,
    receipt.brandName,
    receipt.redirectUrl ?? null,
    receipt.returnUrl ?? null,
    receipt.webhookUrl ?? null,
    receipt.onSuccess ?? null,
    receipt.providerEmail ?? null,
    receipt.billing ? JSON.stringify(receipt.billing) : null,
    receipt.metadata ? JSON.stringify(receipt.metadata) : null,
    receipt.transactionId ?? null,
    receipt.contentHash,
    receipt.keyId ?? null,
    receipt.sealedKey ?? null,
    receipt.splitVersion ?? null,
    receipt.expiresAt ?? null,
    receipt.createdAt,
    receipt.feeHundredths,
  ])
  return count > 0
}

/** Notes whose an id is that Sluice made; `false` where it is somebody's already. */
export async function insertMadeId(tx: Database, merchant: Wallet, id: ReceiptId): Promise<boolean> {
  return (await tx.run(addMadeId, [id, merchant])) > 0
}

/** Replaces what the caller sent of a receipt whose row is locked; its creation time and history stay. */
export async function replaceReceipt(tx: Database, receipt: Receipt): Promise<void> {
  await tx.run(replace, [
    receipt.merchant,
    receipt.id,
    receipt.format,
    receipt.currency,
    receipt.totalCents,
    receipt.feeCents,
    receipt.nativeTotalCents ?? null,
    writeLines(receipt.lines),
    receipt.pricing ? writePricing(receipt.pricing) : null,
    receipt.tax ? JSON.stringify(receipt.tax) : null,
    receipt.brandName,
    receipt.redirectUrl ?? null,
    receipt.returnUrl ?? null,
    receipt.webhookUrl ?? null,
    receipt.onSuccess ?? null,
    receipt.providerEmail ?? null,
    receipt.billing ? JSON.stringify(receipt.billing) : null,
    receipt.metadata ? JSON.stringify(receipt.metadata) : null,
    receipt.transactionId ?? null,
    receipt.contentHash,
    receipt.keyId ?? null,
    receipt.sealedKey ?? null,
    receipt.expiresAt ?? null,
    receipt.updatedAt,
    receipt.brandKey,
    receipt.feeHundredths,
  ])
}

/** Saves what a status change or the watcher changed of a receipt whose row is locked. */
export async function saveProgress(tx: Database, receipt: Receipt): Promise<void> {
  await tx.run(save, [
    receipt.merchant,
    receipt.id,
    receipt.status,
    receipt.failure ? JSON.stringify(receipt.failure) : null,
    receipt.transactionHash ?? null,
    receipt.transactionAt ?? null,
    receipt.token ?? null,
    receipt.paidUnits ?? null,
    receipt.buyerWallet ?? null,
    receipt.payment ? writePayment(receipt.payment) : null,
    receipt.splitVersion ?? null,
    receipt.historyCount,
    receipt.updatedAt,
  ])
}

const find = {
  name: 'find-receipt',
  text: `SELECT ${columns} FROM receipt WHERE merchant = $1 AND id = $2`,
}

const lock = {
  name: 'lock-receipt',
  text: `SELECT ${columns} FROM receipt WHERE merchant = $1 AND id = $2 FOR UPDATE`,
}

const own = 'merchant = $1'

/** Of the receipts of a page those before which there is room left, and how many there were. */
const upToBytes = (isAfter: string) => `SELECT ${columns}, found FROM (
    SELECT *, count(*) OVER () AS found,
      sum(bytes) OVER (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
    FROM (
      SELECT ${columns}, octet_length(lines::text) + coalesce(octet_length(pricing::text), 0)
        + coalesce(octet_length(metadata::text), 0) AS bytes
      FROM receipt WHERE ${own} ${isAfter} ORDER BY created_at DESC, id DESC LIMIT $2
    ) AS newest WHERE ${own}
  ) AS weighed WHERE ${own} AND bytes_before < $3::int8 ORDER BY created_at DESC, id DESC`

const list = { name: 'list-receipts', text: upToBytes('') }

const listAfter = {
  name: 'list-receipts-after',
  text: upToBytes('AND (created_at, id) < ($4, $5)'),
}

const insert = {
  name: 'insert-receipt',
  text: `WITH made AS (
      INSERT INTO receipt (merchant, id, status, origin, format, currency, total_cents, fee_cents, native_total_cents,
        lines, pricing, tax, brand_key, brand_name, redirect_url, return_url, webhook_url, on_success, provider_email,
        billing, metadata, transaction_id, content_hash, key_id, sealed_key, split_version, expires_at, created_at,
        updated_at, history_count, fee_hundredths)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
        $23, $24, $25, $26, $27, $28, $28, 1, $29)
      ON CONFLICT (merchant, id) DO NOTHING
      RETURNING merchant, id, status, created_at)
    INSERT INTO receipt_history (merchant, receipt_id, seq, kind, to_status, detail, at)
    SELECT merchant, id, 1, 'created', status, '{}', created_at FROM made WHERE merchant = $1`,
}

const addMadeId = {
  name: 'insert-made-receipt-id',
  text: 'INSERT INTO made_receipt_id (id, merchant) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
}

const replace = {
  name: 'replace-receipt',
  text: `UPDATE receipt SET format = $3, currency = $4, total_cents = $5, fee_cents = $6, native_total_cents = $7,
      lines = $8, pricing = $9, tax = $10, brand_name = $11, redirect_url = $12, return_url = $13, webhook_url = $14,
      on_success = $15, provider_email = $16, billing = $17, metadata = $18, transaction_id = $19, content_hash = $20,
      key_id = $21, sealed_key = $22, expires_at = $23, updated_at = $24, brand_key = $25, fee_hundredths = $26
    WHERE merchant = $1 AND id = $2`,
}

const save = {
  name: 'save-receipt-progress',
  text: `UPDATE receipt SET status = $3, failure = $4, transaction_hash = $5, transaction_at = $6, token = $7,
      paid_units = $8, buyer_wallet = $9, payment = $10, split_version = $11, history_count = $12, updated_at = $13
    WHERE merchant = $1 AND id = $2`,
}
