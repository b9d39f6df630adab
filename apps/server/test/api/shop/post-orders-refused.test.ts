import { beforeAll, describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { newSku, startShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addShop())

const order = (body: object, key = merchant.key) =>
  shop.call('POST', '/api/orders', { key, body: { jurisdictionCode: 'US-OR', ...body } })
const get = (path: string, key = merchant.key) => shop.call('GET', path, { key })

describe('refused, in this order', () => {
  let sku: string
  let scarce: string
  let scarceId: string

  beforeAll(async () => {
    scarce = newSku()
    sku = await shop.addSku(merchant, { priceUsd: 1 })
    scarceId = await shop.addProduct(merchant, { sku: scarce, priceUsd: 1, stockQty: 2 })
  })

  const allMade = async () => [
    (await get('/api/receipts')).body,
    (await get('/api/orders')).body,
    await shop.stockOf(merchant, scarceId),
  ]
  const orderInVain = async (body: object) => {
    const before = await allMade()
    const response = await order(body)
    expect(await allMade()).toEqual(before)
    return response
  }

  const ofOne = (more: object) => (sku: string) => ({ items: [{ sku, qty: 1 }], ...more })
  const ofQty = (qty: unknown) => (sku: string) => ({ items: [{ sku, qty }] })
  const faulty: [string, (sku: string) => object][] = [
    ['no items', () => ({})],
    ['items that are no list', () => ({ items: { sku: 'a', qty: 1 } })],
    ['an item without sku and id', () => ({ items: [{ qty: 1 }] })],
    ['an item without qty', ofQty(undefined)],
    ['a quantity of zero', ofQty(0)],
    ['a negative quantity', ofQty(-1)],
    ['half a piece', ofQty(1.5)],
    ['a quantity as a text', ofQty('1')],
    ['501 items', (sku) => ({ items: Array(501).fill({ sku, qty: 1 }) })],
    ['no jurisdiction', ofOne({ jurisdictionCode: undefined })],
    ['a jurisdiction in another form', ofOne({ jurisdictionCode: 'California' })],
    ['a country alone', ofOne({ jurisdictionCode: 'US' })],
    ['a rate above 1', ofOne({ taxRate: 1.01 })],
    ['a rate of seven decimals', ofOne({ taxRate: 0.1234567 })],
    ['a rate as a text', ofOne({ taxRate: '0.1' })],
    ['aliases that differ', ofOne({ returnUrl: 'https://a.x', return_url: 'https://b.x' })],
    ['a webhook that is none', ofOne({ webhook_url: 'nowhere' })],
    ['an expiry in the past', ofOne({ expiresAt: 1 })],
    ['a total above the limit', (sku) => ({ items: [1_000_000_000, 1].map((qty) => ({ sku, qty })) })],
  ]
  test.each(faulty)('400 invalid_input for %s', async (_name, body) => {
    expectApiError(await orderInVain(body(sku)), 400, 'invalid_input')
  })

  test('400 invalid_input for a jurisdiction nobody has a rate for, where something is taxable', async () => {
    const taxed = await shop.addSku(merchant, { priceUsd: 3, taxable: true })
    const elsewhere = { items: [{ sku: taxed, qty: 1 }], jurisdictionCode: 'BR-SP' }
    expectApiError(await orderInVain(elsewhere), 400, 'invalid_input')
    expect((await order({ ...elsewhere, items: [{ sku, qty: 1 }] })).status).toBe(201)
  })

  test('400 invalid_input for an order that comes to nothing', async () => {
    const gift = await shop.addSku(merchant, { priceUsd: 0 })
    expect((await order({ items: [{ sku: gift, qty: 1 }] })).body.error).toBe('invalid_input')
  })

  test('400 items_required for no items, before anything else is looked at', async () => {
    const plain = await shop.addMerchant()
    for (const body of [{ items: [] }, { items: [], jurisdictionCode: 7 }, { items: [], taxRate: 'x' }]) {
      expectApiError(await shop.call('POST', '/api/orders', { key: plain.key, body }), 400, 'items_required')
    }
  })

  test('403 split_required before the products are looked at, after the body', async () => {
    const plain = await shop.addMerchant()
    expectApiError(await order({ items: [{ sku: 'unknown', qty: 1 }] }, plain.key), 403, 'split_required')
    expect((await order({ items: [{ qty: 1 }] }, plain.key)).body.error).toBe('invalid_input')
  })

  const other = perFile(() => startShop({ platformFeeBps: 50 }))
  test('400 platform_recipient_not_configured after the split, before the products', async () => {
    const owner = await other.addShop()
    const response = await other.order(owner, { items: [{ sku: 'unknown', qty: 1 }] })
    expectApiError(response, 400, 'platform_recipient_not_configured')
    const plain = await other.addMerchant()
    expect((await other.order(plain, { items: [{ sku: 'x', qty: 1 }] })).body.error).toBe('split_required')
  })

  test('400 inventory_item_not_found names what is not sold: unknown, a draft, archived, another’s, two at once', async () => {
    const [gone, foreign] = [newSku(), newSku()]
    const draft = await shop.addSku(merchant, { status: 'draft' })
    const goneId = await shop.addProduct(merchant, { sku: gone })
    await shop.call('DELETE', `/api/inventory/${goneId}`, { key: merchant.key })
    const foreignId = await shop.addProduct(await shop.addShop(), { sku: foreign })
    const bySku = ['unknown', draft, gone, foreign].map((each) => ({ sku: each }))
    const byId = ['unknown', goneId, foreignId].map((id) => ({ id }))
    const tooMany = { sku: scarce, qty: 99 }
    for (const item of [...bySku, ...byId, { sku, id: scarceId }]) {
      const response = await orderInVain({ items: [tooMany, { ...item, qty: 1 }] })
      const reported = { message: expect.any(String), items: [{ index: 1, ...item }] }
      expect(response.status).toBe(400)
      expect(response.body).toEqual({ error: 'inventory_item_not_found', ...reported })
    }
  })

  test('400 inventory_item_unavailable with the sku and what is left', async () => {
    const twice = [
      { sku: scarce, qty: 2 },
      { id: scarceId, qty: 1 },
    ]
    const response = await orderInVain({ items: [...twice, { sku, qty: 1 }] })
    expect(response.status).toBe(400)
    expect(response.body).toEqual({
      error: 'inventory_item_unavailable',
      message: `Only 2 of ${scarce} left, but 3 were ordered`,
      sku: scarce,
      left: 2,
      items: [{ sku: scarce, qty: 3, left: 2 }],
    })
  })

  test('401 without a key, 403 without the scope', async () => {
    const reader = await shop.addShop({ scopes: ['receipts:read', 'inventory:read', 'receipts:write'] })
    expect((await shop.call('POST', '/api/orders', { body: {} })).status).toBe(401)
    expect((await order({ items: [] }, reader.key)).body.error).toBe('forbidden')
    const maker = await shop.addShop({ scopes: ['orders:create'] })
    for (const path of ['/api/orders', '/api/orders/x']) {
      expect((await get(path, maker.key)).status).toBe(403)
      expect((await shop.call('GET', path)).status).toBe(401)
    }
  })
})
