import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, optional, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import type { Product } from './product.ts'
import { productTable } from './store.ts'

/** The products of one category that are for sale; without a category, all that have none. */
export type ProductSection = {
  readonly category: string | undefined
  /** How many there are in all. */
  readonly total: number
  /** The first of them: long texts are cut, and of the images there is one. */
  readonly products: readonly Product[]
}

/**
 * What a merchant sells, by category. Categories come in the order in which the merchant began them, what has
 * none last; products in the order in which they were added.
 *
 * @param room - How many categories, and how many products of each.
 */
export async function listSections(
  db: Database,
  merchant: Wallet,
  room: { readonly sections: number; readonly products: number },
): Promise<ProductSection[]> {
  const rows = await db.rows(list({ merchant, ...room }))
  const byCategory = new Map<string | undefined, { total: number; products: Product[] }>()
  for (const { product, total } of rows) {
    const section = byCategory.get(product.category) ?? { total: Number(total), products: [] }
    section.products.push(product)
    byCategory.set(product.category, section)
  }
  return [...byCategory].map(([category, section]) => ({ category, ...section }))
}

/** The categories of what a merchant sells, with how many products each has, in the order of the sections. */
export async function listCategories(
  db: Database,
  merchant: Wallet,
  limit: number,
): Promise<{ name: string; count: number }[]> {
  const rows = await db.rows(listNames({ merchant, limit }))
  return rows.flatMap(({ name, count }) => (name === undefined ? [] : [{ name, count: Number(count) }]))
}

/** Which products are shown is decided on short rows; only those are read, and of each no more than a list shows. */
const list = statement({
  name: 'list-product-sections',
  text: `WITH placed AS (
      SELECT id, category, row_number() OVER (PARTITION BY category ORDER BY created_at, name, id) AS place,
        count(*) OVER (PARTITION BY category) AS total, min(created_at) OVER (PARTITION BY category) AS begun
      FROM product WHERE merchant = :merchant AND status = 'active'
    ), shown AS (
      SELECT id, place, total, dense_rank() OVER (ORDER BY category IS NULL, begun, category) AS section
      FROM placed WHERE place <= :products
    )
    SELECT p.merchant, p.id, p.sku, p.name, left(p.description, 600) AS description, p.price_cents, p.stock, p.taxable,
      p.category, p.tags, jsonb_path_query_array(p.images, '$[0]') AS images,
      CASE WHEN octet_length(p.attributes::text) <= 2048 THEN p.attributes ELSE '{}'::jsonb END AS attributes,
      p.cost_cents, p.status, p.created_at, p.updated_at, shown.total
    FROM shown JOIN product p ON p.merchant = :merchant AND p.id = shown.id
    WHERE shown.section <= :sections ORDER BY shown.section, shown.place`,
  reads: { product: productTable, total: int8() },
})

const listNames = statement({
  name: 'list-product-categories',
  text: `SELECT category AS name, count(*) AS count FROM product
    WHERE merchant = :merchant AND status = 'active' AND category IS NOT NULL
    GROUP BY category ORDER BY min(created_at), category LIMIT :limit`,
  reads: { name: optional(text()), count: int8() },
})
