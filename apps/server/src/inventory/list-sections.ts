import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, optional, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import type { Product } from './product.ts'
import { productTable } from './store.ts'

/** Active products of one category, or those without a category. */
export type ProductSection = {
  readonly category: string | undefined
  readonly total: number
  /** First products of the section, with truncated descriptions and one image. */
  readonly products: readonly Product[]
}

/**
 * Returns a merchant's active products by category. Categories are ordered by their oldest product; products
 * without a category come last. Products are ordered by creation.
 *
 * @param room - Maximum number of categories, and of products in each.
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

/** Returns the categories of active products, with the number of products in each. */
export async function listCategories(
  db: Database,
  merchant: Wallet,
  limit: number,
): Promise<{ name: string; count: number }[]> {
  const rows = await db.rows(listNames({ merchant, limit }))
  return rows.flatMap(({ name, count }) => (name === undefined ? [] : [{ name, count: Number(count) }]))
}

/** Selects products from narrow rows first, then reads only those, truncated for a list. */
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
