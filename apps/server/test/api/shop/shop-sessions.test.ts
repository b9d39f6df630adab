import type { MemberRole } from '@sluice/protocol/api/access.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { logIn, logInAs } from '../../support/api/sessions.ts'
import { startShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addShop())

beforeAll(() =>
  shop.addProduct(merchant, { id: 'mug', sku: 'mug', priceUsd: 100, stockQty: 100, taxable: true }),
)

const order = { items: [{ sku: 'mug', qty: 1 }], jurisdictionCode: 'US-CA' }

const rights: [MemberRole, { reads: boolean; writes: boolean }][] = [
  ['owner', { reads: true, writes: true }],
  ['admin', { reads: true, writes: true }],
  ['developer', { reads: true, writes: false }],
  ['viewer', { reads: true, writes: false }],
  ['cashier', { reads: false, writes: false }],
]

describe.each(rights)('a session as %s', (role, { reads, writes }) => {
  test(`reads: ${reads}, writes: ${writes}`, async () => {
    const session = await logInAs(shop, merchant.wallet, role)
    for (const path of ['/api/inventory', '/api/inventory/mug', '/api/inventory/export', '/api/orders']) {
      const response = await fetch(shop.url + path, { headers: { cookie: session.cookie } })
      expect([path, response.status]).toEqual([path, reads ? 200 : 403])
    }
    const body = { sku: 'mug', name: 'Mug', priceUsd: 100 }
    expect((await shop.call('POST', '/api/inventory', { session, body })).status).toBe(writes ? 200 : 403)
    const changed = await shop.call('PATCH', '/api/inventory/mug', { session, body: {} })
    expect(changed.status).toBe(writes ? 200 : 403)
    expect((await shop.call('POST', '/api/orders', { session, body: order })).status).toBe(writes ? 201 : 403)
  })
})

test('a session writes nothing without its CSRF token', async () => {
  const { cookie } = await logIn(shop, merchant)
  for (const path of ['/api/inventory', '/api/orders', '/api/inventory/import']) {
    expectApiError(await shop.call('POST', path, { headers: { cookie }, body: order }), 403, 'forbidden')
  }
})

test('a session sees its own products with their cost, whatever shop the request names', async () => {
  const other = await shop.addShop()
  const session = await logIn(shop, other)
  const headers = { 'x-merchant-wallet': merchant.wallet }
  expect((await shop.call('GET', '/api/inventory', { session, headers })).body.total).toBe(0)
})

test("the webhooks of an order made by a person are signed with the merchant's oldest key", async () => {
  const session = await logIn(shop, merchant)
  const { body } = await shop.call('POST', '/api/orders', { session, body: order })
  const statement = {
    name: 'test-find-order-key',
    text: `SELECT k.slot, r.key_id = k.id AS is_it FROM receipt r JOIN api_key k ON k.merchant = $1 AND k.id = r.key_id
      WHERE r.merchant = $1 AND r.id = $2`,
  }
  const rows = await shop.database.pool.rows(statement, [merchant.wallet, body.id])
  expect(rows).toEqual([{ slot: 'primary', is_it: true }])
})

test("a merchant's own rate comes before the catalogue's, the order's before both", async () => {
  const owner = await shop.addShop()
  await shop.addProduct(owner, { sku: 'mug', priceUsd: 100, taxable: true })
  const session = await logIn(shop, owner)
  const settings = { taxRates: [{ jurisdictionCode: 'US-CA', rate: 0.095, components: ['Los Angeles'] }] }
  expect((await shop.call('POST', '/api/settings', { session, body: settings })).status).toBe(200)
  const made = await shop.order(owner, order)
  expect(made.body.receipt.totalUsd).toBe(109.5)
  const known = await shop.call('GET', `/api/orders/${made.body.id}`, { key: owner.key })
  expect(known.body).toMatchObject({ taxRate: 0.095, taxComponents: ['Los Angeles'], taxFrom: 'merchant' })
  expect((await shop.order(owner, { ...order, taxRate: 0.1 })).body.receipt.totalUsd).toBe(110)
  const inTexas = await shop.order(owner, { ...order, jurisdictionCode: 'US-TX' })
  expect(inTexas.body.receipt.totalUsd).toBe(106.25)
})

describe('Idempotency-Key', () => {
  const send = (key: string, body: object) =>
    shop.call('POST', '/api/orders', { key: merchant.key, headers: { 'idempotency-key': key }, body })

  test('an order sent again is the first one, byte for byte, and holds its stock once', async () => {
    const before = await shop.stockOf(merchant, 'mug')
    const first = await send('once', order)
    const again = await send('once', order)
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await shop.stockOf(merchant, 'mug')).toBe(before - 1)
    expect((await send('once', { ...order, taxRate: 0 })).body.error).toBe('idempotency_conflict')
  })

  test('sent ten times at once it is made once', async () => {
    const before = await shop.stockOf(merchant, 'mug')
    const responses = await Promise.all(Array.from({ length: 10 }, () => send('storm', order)))
    const made = new Set(responses.filter(({ status }) => status === 201).map(({ body }) => body.id))
    expect(made.size).toBe(1)
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true)
    expect(await shop.stockOf(merchant, 'mug')).toBe(before - 1)
  })

  test('a refused order is refused again in the same words, and holds nothing', async () => {
    const before = await shop.stockOf(merchant, 'mug')
    const tooMany = { ...order, items: [{ sku: 'mug', qty: 1000 }] }
    const first = await send('too-many', tooMany)
    expectApiError(first, 400, 'inventory_item_unavailable')
    expect((await send('too-many', tooMany)).text).toBe(first.text)
    expect(await shop.stockOf(merchant, 'mug')).toBe(before)
  })

  test('products that race for one sku under keys of their own are one product', async () => {
    const body = { sku: 'raced', name: 'x', priceUsd: 1 }
    const post = (_: unknown, i: number) => {
      const headers = { 'idempotency-key': `product-${i}` }
      return shop.call('POST', '/api/inventory', { key: merchant.key, headers, body })
    }
    const responses = await Promise.all(Array.from({ length: 6 }, post))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
  })
})
