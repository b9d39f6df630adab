import type { ListProductsQuery } from '@sluice/protocol/api/inventory.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { cutPage, endPage } from '../kernel/page.ts'
import type { Database } from '../platform/database/database.ts'
import { cursorOf, type ProductFilter, parseListQuery } from './parse-list-query.ts'
import type { Product } from './product.ts'
import { fromRow, type ProductRow } from './table.ts'

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
  const filters = [merchant, ...filterValues(filter)]
  const values = [...filters, order.sort, after?.place ?? null, after?.id ?? null, limit + 1]
  const [rows, counted] = await Promise.all([
    needs.db.rows<PlacedRow>(order.isDescending ? listDown : listUp, values),
    needs.db.row<{ total: bigint }>(count, filters),
  ])
  const { page, nextCursor } = endPage(cutPage(rows, limit), cursorOf(order))
  return {
    products: page.map(fromRow),
    total: Number(counted?.total ?? 0n),
    nextCursor,
  }
}

type PlacedRow = ProductRow & { place: string }

function filterValues(filter: ProductFilter) {
  return [
    filter.statuses,
    filter.text ?? null,
    filter.category ?? null,
    JSON.stringify(filter.tags),
    filter.isTaxable ?? null,
    filter.isInStock ?? null,
    filter.minCents ?? null,
    filter.maxCents ?? null,
  ]
}

const filtered = `merchant = $1 AND status = ANY($2)
  AND ($3::text IS NULL OR strpos(lower(name || ' ' || sku || ' ' || description), lower($3)) > 0)
  AND ($4::text IS NULL OR category = $4)
  AND tags @> $5::jsonb
  AND ($6::bool IS NULL OR taxable = $6)
  AND ($7::bool IS NULL OR (stock <> 0) = $7)
  AND ($8::int8 IS NULL OR price_cents >= $8)
  AND ($9::int8 IS NULL OR price_cents <= $9)`

/** What the list is ordered by, as one text: numbers are padded, so that their texts are in their order. */
const placed = `SELECT *, (CASE $10::text
    WHEN 'name' THEN lower(name)
    WHEN 'sku' THEN sku
    WHEN 'priceUsd' THEN lpad(price_cents::text, 20, '0')
    WHEN 'stockQty' THEN lpad((stock + 1)::text, 20, '0')
    ELSE lpad(updated_at::text, 20, '0')
  END) COLLATE "C" AS place
  FROM product WHERE ${filtered}`

const listUp = {
  name: 'list-products-up',
  text: `SELECT * FROM (${placed}) AS placed WHERE merchant = $1 AND ($11::text IS NULL OR (place, id) > ($11, $12))
    ORDER BY place, id LIMIT $13`,
}

const listDown = {
  name: 'list-products-down',
  text: `SELECT * FROM (${placed}) AS placed WHERE merchant = $1 AND ($11::text IS NULL OR (place, id) < ($11, $12))
    ORDER BY place DESC, id DESC LIMIT $13`,
}

const count = {
  name: 'count-products',
  text: `SELECT count(*) AS total FROM product WHERE ${filtered}`,
}
