import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import { longStatementLimitMs } from '../platform/database/limits.ts'
import { isProductId, type Product } from './product.ts'
import { fromRow, type ProductRow, toColumns } from './table.ts'

const columns = `merchant, id, sku, name, description, price_cents, stock, taxable, category, tags, images, attributes,
  cost_cents, status, created_at, updated_at`

/** The merchant's product, whatever its status, or `undefined`. */
export async function findProduct(db: Database, merchant: Wallet, id: string): Promise<Product | undefined> {
  const row = isProductId(id) ? await db.row<ProductRow>(find, [merchant, id]) : undefined
  return row && fromRow(row)
}

/** The merchant's products with one of these ids or skus, whatever their status. */
export async function findProducts(
  db: Database,
  merchant: Wallet,
  by: { readonly ids: readonly string[]; readonly skus: readonly string[] },
): Promise<Product[]> {
  return (await db.rows<ProductRow>(findMany, [merchant, by.ids, by.skus])).map(fromRow)
}

/** As {@link findProducts}, and holds the rows, in the order of their ids, until the transaction ends. */
export async function lockProducts(
  tx: Database,
  merchant: Wallet,
  by: { readonly ids: readonly string[]; readonly skus: readonly string[] },
): Promise<Product[]> {
  return (await tx.rows<ProductRow>(lockMany, [merchant, by.ids, by.skus])).map(fromRow)
}

/** Stores new products and says how many: those whose id or sku is taken are left out. */
export function insertProducts(
  tx: Database,
  merchant: Wallet,
  products: readonly Product[],
): Promise<number> {
  return tx.run(insert, [merchant, ...toColumns(products)])
}

/** Saves what changed of products whose rows are locked. */
export async function saveProducts(
  tx: Database,
  merchant: Wallet,
  products: readonly Product[],
): Promise<void> {
  await tx.run(save, [merchant, ...toColumns(products)])
}

/** Takes a product off the shelf for good; `false` where there is none. Safe to repeat. */
export async function archiveProduct(
  db: Database,
  merchant: Wallet,
  id: string,
  now: UnixMs,
): Promise<boolean> {
  return isProductId(id) && (await db.run(archive, [merchant, id, now])) > 0
}

/** Up to `limit` products that are not archived, in the order of their ids, after the id `after`. */
export async function listForExport(
  db: Database,
  merchant: Wallet,
  after: string,
  limit: number,
): Promise<Product[]> {
  return (await db.rows<ProductRow>(listAll, [merchant, after, limit])).map(fromRow)
}

const find = {
  name: 'find-product',
  text: `SELECT ${columns} FROM product WHERE merchant = $1 AND id = $2`,
}

const findMany = {
  name: 'find-products',
  text: `SELECT ${columns} FROM product WHERE merchant = $1 AND (id = ANY($2) OR sku = ANY($3))`,
}

const lockMany = {
  name: 'lock-products',
  limitMs: longStatementLimitMs,
  text: `SELECT ${columns} FROM product WHERE merchant = $1 AND (id = ANY($2) OR sku = ANY($3)) ORDER BY id FOR UPDATE`,
}

const given = `unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int8[], $7::int8[], $8::bool[], $9::text[],
    $10::jsonb[], $11::jsonb[], $12::jsonb[], $13::int8[], $14::text[], $15::int8[], $16::int8[])
  AS g (id, sku, name, description, price_cents, stock, taxable, category, tags, images, attributes, cost_cents, status,
    created_at, updated_at)`

const insert = {
  name: 'insert-products',
  limitMs: longStatementLimitMs,
  text: `INSERT INTO product (${columns})
    SELECT $1, g.id, g.sku, g.name, g.description, g.price_cents, g.stock, g.taxable, g.category, g.tags, g.images,
      g.attributes, g.cost_cents, g.status, g.created_at, g.updated_at
    FROM ${given} ORDER BY g.id
    ON CONFLICT DO NOTHING`,
}

const save = {
  name: 'save-products',
  limitMs: longStatementLimitMs,
  text: `UPDATE product p SET sku = g.sku, name = g.name, description = g.description, price_cents = g.price_cents,
      stock = g.stock, taxable = g.taxable, category = g.category, tags = g.tags, images = g.images,
      attributes = g.attributes, cost_cents = g.cost_cents, status = g.status, updated_at = g.updated_at
    FROM ${given} WHERE p.merchant = $1 AND p.id = g.id`,
}

const archive = {
  name: 'archive-product',
  text: `UPDATE product SET status = 'archived', updated_at = CASE WHEN status = 'archived' THEN updated_at ELSE $3 END
    WHERE merchant = $1 AND id = $2`,
}

const listAll = {
  name: 'list-products-for-export',
  text: `SELECT ${columns} FROM product WHERE merchant = $1 AND id > $2 AND status <> 'archived' ORDER BY id LIMIT $3`,
}
