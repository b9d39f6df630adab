import type { ListProductsQuery } from '@sluice/protocol/api/inventory.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { cutPage, endPage } from '../kernel/page.ts'
import { int8, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { cursorOf, parseListQuery } from './parse-list-query.ts'
import type { Product } from './product.ts'
import { productTable } from './table.ts'

/**
 * A page of the merchant's products in the order asked for, and how many there are under the filters in all.
 *
 * @param audience - The public sees active products only, whatever it asks for.
 * @throws {Refusal} `invalid_input` for what the query must not hold, or a cursor of another list.
 */
export async function listProducts(
  needs: { db: Database },
  merchant: Wallet,
  query: ListProductsQuery,
  audience: 'merchant' | 'public',
): Promise<{ products: Product[]; total: number; nextCursor: string | null }> {
  const { filter, order, limit, after } = parseListQuery(query, audience)
  const filters = { merchant, ...filter, tags: JSON.stringify(filter.tags) }
  const place = { sort: order.sort, afterPlace: after?.place, afterId: after?.id }
  const list = order.isDescending ? listDown : listUp
  const [rows, counted] = await Promise.all([
    needs.db.rows(list({ ...filters, ...place, limit: limit + 1 })),
    needs.db.row(count(filters)),
  ])
  const { page, nextCursor } = endPage(cutPage(rows, limit), cursorOf(order))
  return {
    products: page.map(({ product }) => product),
    total: Number(counted?.total ?? 0n),
    nextCursor,
  }
}

const filtered = `merchant = :merchant AND status = ANY(:statuses)
  AND (:text::text IS NULL OR strpos(lower(name || ' ' || sku || ' ' || description), lower(:text)) > 0)
  AND (:category::text IS NULL OR category = :category)
  AND tags @> :tags::jsonb
  AND (:isTaxable::bool IS NULL OR taxable = :isTaxable)
  AND (:isInStock::bool IS NULL OR (stock <> 0) = :isInStock)
  AND (:minCents::int8 IS NULL OR price_cents >= :minCents)
  AND (:maxCents::int8 IS NULL OR price_cents <= :maxCents)`

/** What the list is ordered by, as one text: numbers are padded, so that their texts are in their order. */
const placed = `SELECT *, (CASE
    WHEN :sort::text = 'name' THEN lower(name)
    WHEN :sort::text = 'sku' THEN sku
    WHEN :sort::text = 'priceUsd' THEN lpad(price_cents::text, 20, '0')
    WHEN :sort::text = 'stockQty' THEN lpad((stock + 1)::text, 20, '0')
    ELSE lpad(updated_at::text, 20, '0')
  END) COLLATE "C" AS place
  FROM product WHERE ${filtered}`

const listUp = statement({
  name: 'list-products-up',
  text: `SELECT * FROM (${placed}) AS placed WHERE merchant = :merchant AND (:afterPlace::text IS NULL OR (place,
    id) > (:afterPlace, :afterId))
    ORDER BY place, id LIMIT :limit`,
  reads: { product: productTable, id: text(), place: text() },
})

const listDown = statement({
  name: 'list-products-down',
  text: `SELECT * FROM (${placed}) AS placed WHERE merchant = :merchant AND (:afterPlace::text IS NULL OR (place,
    id) < (:afterPlace, :afterId))
    ORDER BY place DESC, id DESC LIMIT :limit`,
  reads: { product: productTable, id: text(), place: text() },
})

const count = statement({
  name: 'count-products',
  text: `SELECT count(*) AS total FROM product WHERE ${filtered}`,
  reads: { total: int8() },
})
