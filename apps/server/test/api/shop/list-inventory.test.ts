import { beforeAll, describe, expect, test } from 'vitest'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { followPages } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { startShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addMerchant())

const goods = [
  { sku: 'a1', name: 'banana bread', priceUsd: 4.2, stockQty: 3, taxable: true, tags: ['sweet', 'baked'] },
  { sku: 'B2', name: 'Apple pie', priceUsd: 4.2, stockQty: 0, category: 'cakes', tags: ['sweet'] },
  { sku: 'c3', name: 'Coffee', priceUsd: 3, category: 'drinks', description: 'Goes with APPLE pie' },
  { sku: 'd4', name: 'Zimtstern', priceUsd: 10, stockQty: 100, status: 'draft', costUsd: 1 },
  { sku: 'e5', name: 'Äpfel 100%_', priceUsd: 0.99, stockQty: 7, tags: ['raw'] },
]

beforeAll(async () => {
  await changeShop(shop.needs, merchant.wallet, { slug: 'bakery' })
  for (const fields of goods) {
    await shop.clock.advance(1)
    await shop.addProduct(merchant, fields)
  }
})

const list = (query = '', key: string | undefined = merchant.key) =>
  shop.call('GET', `/api/inventory${query}`, { key })
const skus = (body: { items: { sku: string }[] }) => body.items.map(({ sku }) => sku)

test('newest change first, with the number of all', async () => {
  const { status, body } = await list()
  expect([status, body.total, body.nextCursor]).toEqual([200, 5, null])
  expect(skus(body)).toEqual(['e5', 'd4', 'c3', 'B2', 'a1'])
})

test.each([
  ['q=apple', ['B2', 'c3']],
  ['q=E5', ['e5']],
  ['q=100%25_', ['e5']],
  ['q=%25', ['e5']],
  ['category=drinks', ['c3']],
  ['category=Drinks', []],
  ['tags=sweet', ['B2', 'a1']],
  ['tags=sweet,baked', ['a1']],
  ['taxable=true', ['a1']],
  ['taxable=false&stock=in', ['e5', 'd4', 'c3']],
  ['stock=out', ['B2']],
  ['stock=any', ['e5', 'd4', 'c3', 'B2', 'a1']],
  ['priceMin=4.2&priceMax=9.99', ['B2', 'a1']],
  ['priceMax=0.99', ['e5']],
  ['status=draft', ['d4']],
  ['status=active', ['e5', 'c3', 'B2', 'a1']],
])('%s', async (query, expected) => {
  const { body } = await list(`?${query}`)
  expect([skus(body).sort(), body.total]).toEqual([[...expected].sort(), expected.length])
})

test.each([
  ['name', ['B2', 'a1', 'c3', 'd4', 'e5']],
  ['sku', ['B2', 'a1', 'c3', 'd4', 'e5']],
  ['priceUsd', ['e5', 'c3', 'a1', 'B2', 'd4']],
  ['stockQty', ['c3', 'B2', 'a1', 'e5', 'd4']],
  ['updatedAt', ['a1', 'B2', 'c3', 'd4', 'e5']],
])('by %s, up and down, page by page without a gap or a repeat', async (sort, expected) => {
  for (const order of ['asc', 'desc']) {
    const pages = await followPages((more) => list(`?sort=${sort}&order=${order}&limit=2${more}`))
    for (const { total } of pages) expect(total).toBe(5)
    expect(pages.flatMap(skus)).toEqual(order === 'asc' ? expected : expected.toReversed())
  }
})

const badPages = ['limit=0', 'limit=201', 'limit=1.5', 'limit=', 'limit=1&limit=2']
const badOrders = ['sort=costUsd', 'order=up']
const badFilters = ['taxable=1', 'stock=some', 'priceMin=-1', 'priceMax=1e3', 'priceMin=1.999', 'status=gone']
const badTexts = ['cursor=nonsense', 'cursor=', 'q=%00']
test.each([
  ...badPages,
  ...badOrders,
  ...badFilters,
  ...badTexts,
])('400 invalid_input for %s', async (query) => {
  expectApiError(await list(`?${query}`), 400, 'invalid_input')
})

test('a cursor of another order is refused', async () => {
  const { body } = await list('?sort=name&limit=1')
  for (const query of ['sort=sku', 'sort=name&order=desc', ''])
    expect((await list(`?${query}&cursor=${body.nextCursor}`)).status).toBe(400)
})

test("another merchant's products are in no list", async () => {
  const other = await shop.addMerchant()
  expect((await list('', other.key)).body).toEqual({ items: [], total: 0, nextCursor: null })
})

describe('public reads', () => {
  const visit = (headers: Record<string, string>, query = '') =>
    shop.call('GET', `/api/inventory${query}`, { headers })

  test('by wallet in any case: what is on sale, and nothing of its cost', async () => {
    for (const wallet of [merchant.wallet, merchant.wallet.toLowerCase()]) {
      const { status, body } = await visit({ 'x-merchant-wallet': wallet }, '?sort=sku')
      expect([status, skus(body), body.total]).toEqual([200, ['B2', 'a1', 'c3', 'e5'], 4])
      expect(body.items.every((item: object) => !('costUsd' in item))).toBe(true)
    }
  })

  test('no filter brings drafts out', async () => {
    for (const status of ['draft', 'any', 'archived']) {
      const { body } = await visit({ 'x-merchant-wallet': merchant.wallet }, `?status=${status}`)
      expect(body.items.some((item: { status: string }) => item.status !== 'active')).toBe(false)
    }
    expect((await visit({ 'x-merchant-wallet': merchant.wallet }, '?q=zimt')).body.total).toBe(0)
  })

  test('by slug, alone or with the wallet it is of', async () => {
    expect((await visit({}, '?slug=bakery')).body.total).toBe(4)
    expect((await visit({ 'x-merchant-wallet': merchant.wallet }, '?slug=bakery')).status).toBe(200)
  })

  test('400 where slug and wallet are two merchants, and for what is no wallet', async () => {
    const other = await shop.addMerchant()
    for (const wallet of [other.wallet, '0x12', 'nobody']) {
      expectApiError(await visit({ 'x-merchant-wallet': wallet }, '?slug=bakery'), 400, 'invalid_input')
    }
    expect((await visit({ 'x-merchant-wallet': '0x12' })).status).toBe(400)
  })

  test('404 for a wallet or a slug of nobody, 401 where nothing says whose', async () => {
    expect((await visit({ 'x-merchant-wallet': `0x${'1'.repeat(40)}` })).status).toBe(404)
    expect((await visit({}, '?slug=nowhere')).status).toBe(404)
    expectApiError(await visit({}), 401, 'unauthorized')
  })

  test('a wallet header of the stripped kind names nobody, and relying on one is 403', async () => {
    expect((await visit({ 'x-wallet': merchant.wallet })).status).toBe(403)
  })

  test('with a key the merchant is the key’s, whatever the request names', async () => {
    const other = await shop.addMerchant()
    const headers = { 'x-merchant-wallet': merchant.wallet }
    const { body } = await shop.call('GET', '/api/inventory?slug=bakery', { key: other.key, headers })
    expect(body.total).toBe(0)
  })

  test('a key that is wrong is 401, one without the scope 403, although the public may read', async () => {
    const headers = { 'x-merchant-wallet': merchant.wallet }
    expect((await shop.call('GET', '/api/inventory', { key: 'sk_test_wrong', headers })).status).toBe(401)
    const writer = await shop.addMerchant({ scopes: ['inventory:write'] })
    expect((await shop.call('GET', '/api/inventory', { key: writer.key, headers })).status).toBe(403)
  })
})
