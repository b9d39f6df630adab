import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import type { TaxRate } from '../pricing/taxes/tax-rate.ts'
import { readStatus } from '../receipts/table.ts'
import type { Order, OrderTax } from './order.ts'

/** An order with what its receipt knows of it. */
export type KnownOrder = Order & {
  readonly status: ReceiptStatus
  readonly expiresAt: UnixMs | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly transactionId: string | undefined
  readonly brandKey: string
}

/** Stores a new order, in the transaction that stores its receipt. */
export async function insertOrder(tx: Database, order: Order): Promise<void> {
  await tx.run(insert, [
    order.merchant,
    order.id,
    writeItems(order),
    order.subtotalCents,
    order.taxableCents,
    order.taxCents,
    order.totalCents,
    writeTax(order.tax),
    order.stock ?? null,
    order.createdAt,
  ])
}

/** The merchant's order, or `undefined`. */
export async function findOrder(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<KnownOrder | undefined> {
  const row = await db.row<OrderRow>(find, [merchant, id])
  return row && fromRow(row)
}

/**
 * The merchant's newest orders, newest first, after the place `before` where one is given: as many as are asked
 * for, or as few as come to `maxBytes`, but one at least.
 */
export async function listOrders(
  db: Database,
  merchant: Wallet,
  room: { readonly limit: number; readonly maxBytes: number },
  before: { readonly createdAt: number; readonly id: string } | undefined,
): Promise<{ page: KnownOrder[]; hasMore: boolean }> {
  const { limit, maxBytes } = room
  const place = [before?.createdAt ?? null, before?.id ?? null]
  const rows = await db.rows<OrderRow & { found: bigint }>(list, [merchant, limit + 1, ...place, maxBytes])
  const page = rows.slice(0, limit).map(fromRow)
  return { page, hasMore: (rows[0]?.found ?? 0n) > BigInt(page.length) }
}

/** Notes where the stock of an order is now. */
export async function saveOrderStock(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
  settled: { stock: 'taken' | 'given_back'; missing: Order['missing']; at: UnixMs },
): Promise<void> {
  const missing = settled.missing.map(({ productId, qty }) => ({ productId, qty: Number(qty) }))
  await tx.run(saveStock, [
    merchant,
    id,
    settled.stock,
    missing.length > 0 ? JSON.stringify(missing) : null,
    settled.at,
  ])
}

type OrderRow = {
  merchant: string
  id: string
  items: StoredItem[]
  subtotal_cents: bigint
  taxable_cents: bigint
  tax_cents: bigint
  total_cents: bigint
  tax: StoredTax
  stock: string | null
  missing: { productId: string; qty: number }[] | null
  created_at: bigint
  status: string
  expires_at: bigint | null
  metadata: Record<string, unknown> | null
  transaction_id: string | null
  brand_key: string
}

type StoredItem = {
  productId: string
  sku: string
  name: string
  qty: number
  unit: number
  taxable: boolean
}

type StoredTax = { jurisdictionCode: string; rateE6: number; components: string[]; from: TaxRate['from'] }

function writeItems(order: Order): string {
  const stored = order.items.map(({ qty, unitCents, ...item }): StoredItem => {
    return { ...item, qty: Number(qty), unit: Number(unitCents) }
  })
  return JSON.stringify(stored)
}

function writeTax({ rate, components, ...tax }: OrderTax): string {
  const stored: StoredTax = { ...tax, rateE6: Number(rate), components: [...components] }
  return JSON.stringify(stored)
}

function fromRow(row: OrderRow): KnownOrder {
  const { rateE6, ...tax } = row.tax
  return {
    merchant: row.merchant as Wallet,
    id: row.id as ReceiptId,
    items: row.items.map(({ qty, unit, ...item }) => ({
      ...item,
      qty: BigInt(qty),
      unitCents: BigInt(unit) as Cents,
    })),
    subtotalCents: row.subtotal_cents as Cents,
    taxableCents: row.taxable_cents as Cents,
    taxCents: row.tax_cents as Cents,
    totalCents: row.total_cents as Cents,
    tax: { ...tax, rate: BigInt(rateE6) as TaxRate['rate'] },
    stock: (row.stock ?? undefined) as Order['stock'],
    missing: (row.missing ?? []).map(({ productId, qty }) => ({ productId, qty: BigInt(qty) })),
    createdAt: Number(row.created_at) as UnixMs,
    status: readStatus(row.status),
    expiresAt: row.expires_at === null ? undefined : (Number(row.expires_at) as UnixMs),
    metadata: row.metadata ?? undefined,
    transactionId: row.transaction_id ?? undefined,
    brandKey: row.brand_key,
  }
}

const known = `SELECT o.merchant, o.id, o.items, o.subtotal_cents, o.taxable_cents, o.tax_cents, o.total_cents, o.tax,
    o.stock, o.missing, o.created_at, r.status, r.expires_at, r.metadata, r.transaction_id, r.brand_key
  FROM customer_order o JOIN receipt r ON r.merchant = $1 AND r.id = o.id`

const insert = {
  name: 'insert-order',
  text: `INSERT INTO customer_order (merchant, id, items, subtotal_cents, taxable_cents, tax_cents, total_cents, tax,
      stock, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
}

const find = {
  name: 'find-order',
  text: `${known} WHERE o.merchant = $1 AND o.id = $2`,
}

const list = {
  name: 'list-orders',
  text: `SELECT * FROM (
    SELECT *, count(*) OVER () AS found,
      sum(bytes) OVER (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
    FROM (
      SELECT *, octet_length(items::text) + coalesce(octet_length(metadata::text), 0) AS bytes FROM (
        ${known} WHERE o.merchant = $1 AND ($3::int8 IS NULL OR (o.created_at, o.id) < ($3, $4))
        ORDER BY o.created_at DESC, o.id DESC LIMIT $2
      ) AS newest WHERE merchant = $1
    ) AS measured WHERE merchant = $1
  ) AS weighed WHERE merchant = $1 AND bytes_before < $5::int8 ORDER BY created_at DESC, id DESC`,
}

const saveStock = {
  name: 'save-order-stock',
  text: 'UPDATE customer_order SET stock = $3, missing = $4, settled_at = $5 WHERE merchant = $1 AND id = $2',
}
