import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import {
  emptyAsNull,
  group,
  int8,
  json,
  optional,
  type Parts,
  text,
  time,
} from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, table, valuesOf } from '../platform/database/table.ts'
import type { TaxRate } from '../pricing/taxes/tax-rate.ts'
import type { Receipt } from '../receipts/receipt.ts'
import { receiptTable, storedStatus } from '../receipts/table.ts'
import type { Order, OrderTax } from './order.ts'

export type KnownOrder = Order & Pick<Receipt, FromReceipt>

type FromReceipt =
  | 'status'
  | 'cancelledAt'
  | 'expiresAt'
  | 'payment'
  | 'failure'
  | 'refundedCents'
  | 'metadata'
  | 'transactionId'
  | 'brandKey'

export async function insertOrder(tx: Database, order: Order): Promise<void> {
  await tx.run(insert(order))
}

/** Returns an order together with the state of its receipt. */
export async function findOrder(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<KnownOrder | undefined> {
  return db.row(find({ merchant, id }))
}

/**
 * Returns the newest orders before a position: as many as fit into `limit` and `maxBytes`, but at least one.
 */
export async function listOrders(
  db: Database,
  merchant: Wallet,
  room: { readonly limit: number; readonly maxBytes: number },
  before: { readonly createdAt: number; readonly id: string } | undefined,
): Promise<{ page: KnownOrder[]; hasMore: boolean }> {
  const { limit, maxBytes } = room
  const after = { createdAt: before?.createdAt, id: before?.id }
  const rows = await db.rows(list({ merchant, limit: limit + 1, maxBytes, after }))
  const page = rows.slice(0, limit).map(({ order }) => order)
  return { page, hasMore: (rows[0]?.found ?? 0n) > BigInt(page.length) }
}

export async function saveOrderStock(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
  settled: { stock: 'reserved' | 'committed' | 'released'; missing: Order['missing']; at: UnixMs },
): Promise<void> {
  await tx.run(saveStock({ merchant, id, ...settled }))
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

const orderTable = table<Order>('customer_order', {
  merchant: text(),
  id: text(),
  items: json({
    read: (items: StoredItem[]) =>
      items.map(({ qty, unit, ...item }) => ({
        ...item,
        qty: BigInt(qty),
        unitCents: BigInt(unit) as Cents,
      })),
    write: (items) =>
      items.map(({ qty, unitCents, ...item }) => ({ ...item, qty: Number(qty), unit: Number(unitCents) })),
  }),
  subtotalCents: int8(),
  taxableCents: int8(),
  taxCents: int8(),
  totalCents: int8(),
  tax: json({ read: readTax, write: writeTax }),
  stock: optional(text()),
  missing: emptyAsNull(json({ read: readMissing, write: writeMissing })),
  createdAt: time(),
})

const ofReceipt = table<Pick<Receipt, FromReceipt>>('receipt', {
  status: storedStatus(),
  cancelledAt: optional(time()),
  expiresAt: optional(time()),
  payment: receiptTable.parts.payment,
  failure: receiptTable.parts.failure,
  refundedCents: int8(),
  metadata: optional(json<Readonly<Record<string, unknown>>>()),
  transactionId: optional(text()),
  brandKey: text(),
})

const knownOrder: Parts<KnownOrder> = { ...orderTable.parts, ...ofReceipt.parts }

function readTax({ rateE6, ...tax }: StoredTax): OrderTax {
  return { ...tax, rate: BigInt(rateE6) as TaxRate['rate'] }
}

function writeTax({ rate, components, ...tax }: OrderTax): StoredTax {
  return { ...tax, rateE6: Number(rate), components: [...components] }
}

function readMissing(missing: readonly { productId: string; qty: number }[]): Order['missing'] {
  return missing.map(({ productId, qty }) => ({ productId, qty: BigInt(qty) }))
}

function writeMissing(missing: Order['missing']) {
  return missing.map(({ productId, qty }) => ({ productId, qty: Number(qty) }))
}

const known = `SELECT ${columnsOf(orderTable, 'o')}, ${columnsOf(ofReceipt, 'r')}
  FROM customer_order o JOIN receipt r ON r.merchant = :merchant AND r.id = o.id`

const insert = statement({
  name: 'insert-order',
  text: `INSERT INTO customer_order ${valuesOf(orderTable)}`,
  writes: orderTable,
})

const find = statement({
  name: 'find-order',
  reads: knownOrder,
  text: `${known} WHERE o.merchant = :merchant AND o.id = :id`,
})

const list = statement({
  name: 'list-orders',
  reads: { order: group(knownOrder), found: int8() },
  text: `SELECT * FROM (
    SELECT *, count(*) OVER () AS found,
      sum(bytes) OVER (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
    FROM (
      SELECT *, octet_length(items::text) + coalesce(octet_length(metadata::text), 0) AS bytes FROM (
        ${known} WHERE o.merchant = :merchant AND (:after.createdAt::int8 IS NULL OR (o.created_at,
          o.id) < (:after.createdAt, :after.id))
        ORDER BY o.created_at DESC, o.id DESC LIMIT :limit
      ) AS newest WHERE merchant = :merchant
    ) AS measured WHERE merchant = :merchant
  ) AS weighed WHERE merchant = :merchant AND bytes_before < :maxBytes::int8 ORDER BY created_at DESC, id DESC`,
})

const saveStock = statement({
  name: 'save-order-stock',
  writes: orderTable,
  text: 'UPDATE customer_order SET stock = :stock, missing = :missing, settled_at = :at WHERE merchant = :merchant AND id = :id',
})
