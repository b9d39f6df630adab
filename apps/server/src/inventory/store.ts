import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bool, int8, json, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { longStatementLimitMs } from '../platform/database/limits.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, eachOf, table } from '../platform/database/table.ts'
import { isProductId, type Product } from './product.ts'

/** Returns a product of any status, archived products included. */
export async function findProduct(db: Database, merchant: Wallet, id: string): Promise<Product | undefined> {
  return isProductId(id) ? db.row(find({ merchant, id })) : undefined
}

/** Returns the products that have one of the ids or one of the skus, in no particular order. */
export async function findProducts(
  db: Database,
  merchant: Wallet,
  by: { readonly ids: readonly string[]; readonly skus: readonly string[] },
): Promise<Product[]> {
  return db.rows(findMany({ merchant, ids: by.ids, skus: by.skus }))
}

export async function lockProducts(
  tx: Database,
  merchant: Wallet,
  by: { readonly ids: readonly string[]; readonly skus: readonly string[] },
): Promise<Product[]> {
  return tx.rows(lockMany({ merchant, ids: by.ids, skus: by.skus }))
}

/** Inserts products and returns the number inserted. Skips a product whose id or sku exists. */
export async function insertProducts(
  tx: Database,
  merchant: Wallet,
  products: readonly Product[],
): Promise<number> {
  return (await tx.rows(insert({ merchant, each: products }))).length
}

export async function saveProducts(
  tx: Database,
  merchant: Wallet,
  products: readonly Product[],
): Promise<void> {
  await tx.run(save({ merchant, each: products }))
}

export async function archiveProduct(
  db: Database,
  merchant: Wallet,
  id: string,
  now: UnixMs,
): Promise<boolean> {
  return isProductId(id) && (await db.run(archive({ merchant, id, now }))) > 0
}

export async function listForExport(
  db: Database,
  merchant: Wallet,
  after: string,
  limit: number,
): Promise<Product[]> {
  return db.rows(listAll({ merchant, after, limit }))
}

/** Lists are stored as JSON, because an array cannot be nested in an array of rows. */
const item = table<Omit<Product, 'merchant'>>('product', {
  id: text(),
  sku: text(),
  name: text(),
  description: text(),
  priceCents: int8(),
  stock: int8(),
  taxable: bool(),
  category: optional(text()),
  tags: json(),
  images: json(),
  attributes: json(),
  costCents: optional(int8()),
  status: text(),
  createdAt: time(),
  updatedAt: time(),
})

export const productTable = table<Product>('product', { merchant: text(), ...item.parts })

const find = statement({
  name: 'find-product',
  reads: productTable,
  text: `SELECT ${columnsOf(productTable)} FROM product WHERE merchant = :merchant AND id = :id`,
})

const findMany = statement({
  name: 'find-products',
  reads: productTable,
  text: `SELECT ${columnsOf(productTable)} FROM product WHERE merchant = :merchant
    AND (id = ANY(:ids) OR sku = ANY(:skus))`,
})

const lockMany = statement({
  name: 'lock-products',
  reads: productTable,
  limitMs: longStatementLimitMs,
  text: `SELECT ${columnsOf(productTable)} FROM product WHERE merchant = :merchant
    AND (id = ANY(:ids) OR sku = ANY(:skus)) ORDER BY id FOR UPDATE`,
})

const insert = statement({
  writes: item,
  name: 'insert-products',
  limitMs: longStatementLimitMs,
  text: `INSERT INTO product (merchant, ${columnsOf(item)})
    SELECT :merchant, ${columnsOf(item, 'g')} FROM ${eachOf(item)} AS g (${columnsOf(item)}) ORDER BY g.id
    ON CONFLICT DO NOTHING RETURNING id`,
})

const save = statement({
  writes: item,
  name: 'save-products',
  limitMs: longStatementLimitMs,
  text: `UPDATE product p SET (${columnsOf(item)}) = (${columnsOf(item, 'g')})
    FROM ${eachOf(item)} AS g (${columnsOf(item)}) WHERE p.merchant = :merchant AND p.id = g.id`,
})

const archive = statement({
  name: 'archive-product',
  text: `UPDATE product SET status = 'archived',
    updated_at = CASE WHEN status = 'archived' THEN updated_at ELSE :now END
    WHERE merchant = :merchant AND id = :id`,
})

const listAll = statement({
  name: 'list-products-for-export',
  reads: productTable,
  text: `SELECT ${columnsOf(productTable)} FROM product WHERE merchant = :merchant AND id > :after
    AND status <> 'archived' ORDER BY id LIMIT :limit`,
})
