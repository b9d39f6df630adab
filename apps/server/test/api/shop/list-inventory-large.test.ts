import type { ListProductsQuery } from '@sluice/protocol/api/inventory.ts'
import { beforeAll, expect, test } from 'vitest'
import { listProducts } from '../../../src/inventory/list-products.ts'
import { statement } from '../../../src/platform/database/statement.ts'
import { startShop } from '../../support/api/shop.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addMerchant())
const neighbour = perFile(() => shop.addMerchant())
const productCount = 4_000

const fill = statement({
  name: 'test-fill-products',
  text: `INSERT INTO product (merchant, id, sku, name, description, price_cents, stock, taxable, category, tags, images,
      attributes, status, created_at, updated_at)
    SELECT :merchant, 'p' || i, 'sku-' || i, 'Product ' || md5(i::text), repeat('text ', 80), i, -1, false, 'c' || i % 7, '[]', '[]',
      '{}', 'active', i, i FROM generate_series(1, :count::int) AS i`,
})

beforeAll(async () => {
  for (const { wallet } of [merchant, neighbour])
    await shop.needs.db.run(fill({ merchant: wallet, count: productCount }))
  await shop.needs.db.run({ name: 'test-analyze', text: 'ANALYZE product' })
})

type Plan = {
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly Plans?: readonly Plan[]
}

async function explain(query: ListProductsQuery) {
  const plans: Plan[] = []
  const db = wrapDatabase(shop.needs.db, async (asked, run) => {
    const text = `EXPLAIN (ANALYZE, FORMAT JSON) ${asked.text}`
    const explained = { name: 'test-explain', text, isPlannedAnew: true, values: asked.values ?? [] }
    const [row] = await shop.needs.db.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explained)
    if (row) plans.push(row['QUERY PLAN'][0].Plan)
    return run()
  })
  const response = await listProducts({ db }, merchant.wallet, query, 'public')
  const parts = plans.flatMap(withParts)
  return {
    response,
    indexes: new Set(parts.map((part) => part['Index Name'])),
    mostRows: Math.max(...parts.map((part) => part['Actual Rows'])),
  }
}
const withParts = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(withParts)]

test.each([
  ['name', 'product_by_name'],
  ['sku', 'product_by_sku'],
  ['priceUsd', 'product_by_price'],
  ['stockQty', 'product_by_stock'],
  ['updatedAt', 'product_by_change'],
])('a page by %s reads only its own rows, and the public total stops at 1,000', async (sort, index) => {
  for (const order of ['asc', 'desc']) {
    const first = await explain({ sort, order, limit: '20' })
    const cursor = first.response.nextCursor ?? ''
    for (const { response, indexes, mostRows } of [
      first,
      await explain({ sort, order, limit: '20', cursor }),
    ]) {
      expect([response.products.length, response.total]).toEqual([20, 1_000])
      expect([...indexes]).toContain(index)
      expect(mostRows).toBe(1_000)
    }
  }
})

test('a search for a rare word reads the rows that have it, of whichever merchant', async () => {
  const { response, indexes, mostRows } = await explain({ q: 'SKU-3999' })
  expect([response.products.map(({ id }) => id), response.total]).toEqual([['p3999'], 1])
  expect([...indexes]).toContain('product_search')
  expect(mostRows).toBeLessThan(100)
})
