import type { ListProductsQuery } from '@sluice/protocol/api/inventory.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../kernel/api-error.ts'
import { cutPage, endPage } from '../kernel/page.ts'
import { FairSlots } from '../kernel/turns/fair-slots.ts'
import { int8, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { cursorOf, parseListQuery } from './parse-list-query.ts'
import type { Product } from './product.ts'
import { productTable } from './store.ts'

/** Limit of public totals: counting beyond it would read all products of a large shop for each visitor. */
export const maxPublicTotal = 1_000

/**
 * Returns a page of products and the total number that matches the filters.
 *
 * @param audience - `public` sees only active products, and the total stops at {@link maxPublicTotal}.
 * @throws {ApiError} `invalid_input` for an invalid query or a cursor of another list.
 */
export async function listProducts(
  needs: { db: Database },
  merchant: Wallet,
  query: ListProductsQuery,
  audience: 'merchant' | 'public',
): Promise<{ products: Product[]; total: number; nextCursor: string | null }> {
  const { filter, order, limit, after } = parseListQuery(query, audience)
  const pattern = filter.text?.replace(/[\\%_]/g, '\\$&')
  const filters = {
    merchant,
    ...filter,
    pattern: pattern && `%${pattern}%`,
    tags: JSON.stringify(filter.tags),
  }
  const place = { sort: order.sort, afterPlace: after?.place, afterId: after?.id }
  const list = order.isDescending ? listDown : listUp
  const [rows, counted] = await Promise.all([
    needs.db.rows(list({ ...filters, ...place, limit: limit + 1 })),
    needs.db.row(count({ ...filters, most: audience === 'public' ? maxPublicTotal : undefined })),
  ])
  const { page, nextCursor } = endPage(cutPage(rows, limit), cursorOf(order))
  return {
    products: page.map(({ product }) => product),
    total: Number(counted?.total ?? 0n),
    nextCursor,
  }
}

/** Leaves most of the pool's ten connections for API requests, sessions and payments. */
const publicSlots = { atOnce: 3, atOnceEach: 2, waiting: 256, waitingEach: 64 } as const

/** Limits concurrent catalog reads by visitors: reading a large catalog is expensive. */
export class PublicReads {
  readonly #slots = new FairSlots(publicSlots)

  /** @throws {ApiError} `rate_limited` if too many visitors of this shop, or of all shops, are waiting. */
  async run<T>(merchant: Wallet, read: () => Promise<T>): Promise<T> {
    const outcome = await this.#slots.run(merchant, async () => ({ found: await read() }))
    if (outcome === 'full') throw new ApiError('rate_limited', 'Too many visitors in this shop; try again')
    return outcome.found
  }
}

const filtered = `merchant = :merchant AND status = ANY(:statuses)
  AND (:pattern::text IS NULL OR lower(name || ' ' || sku || ' ' || description) LIKE lower(:pattern))
  AND (:category::text IS NULL OR category = :category)
  AND tags @> :tags::jsonb
  AND (:isTaxable::bool IS NULL OR taxable = :isTaxable)
  AND (:isInStock::bool IS NULL OR (stock <> 0) = :isInStock)
  AND (:minCents::int8 IS NULL OR price_cents >= :minCents)
  AND (:maxCents::int8 IS NULL OR price_cents <= :maxCents)`

/**
 * SQL for the sort key as text. Numbers are padded to sort correctly.
 *
 * A custom plan per call lets the planner reduce the CASE to the expression of one index, and drop conditions
 * whose value is NULL.
 */
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
  isPlannedAnew: true,
  text: `SELECT * FROM (${placed}) AS placed WHERE merchant = :merchant AND (:afterPlace::text IS NULL OR (place,
    id) > (:afterPlace, :afterId))
    ORDER BY place, id LIMIT :limit`,
  reads: { product: productTable, id: text(), place: text() },
})

const listDown = statement({
  name: 'list-products-down',
  isPlannedAnew: true,
  text: `SELECT * FROM (${placed}) AS placed WHERE merchant = :merchant AND (:afterPlace::text IS NULL OR (place,
    id) < (:afterPlace, :afterId))
    ORDER BY place DESC, id DESC LIMIT :limit`,
  reads: { product: productTable, id: text(), place: text() },
})

const count = statement({
  name: 'count-products',
  isPlannedAnew: true,
  text: `SELECT count(*) AS total FROM (SELECT 1 FROM product WHERE ${filtered} LIMIT :most::int8) AS found`,
  reads: { total: int8() },
})
