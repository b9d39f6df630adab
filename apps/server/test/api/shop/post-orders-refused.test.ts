import { beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../../support/asking/expect-refusal.ts'
import { perFile } from '../../support/per-file.ts'
import { startShop } from '../../support/worlds/start-shop.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addShop())

const order = (body: object, key = merchant.key) =>
  shop.call('POST', '/api/orders', { key, body: { jurisdictionCode: 'US-OR', ...body } })
const get = (path: string, key = merchant.key) => shop.call('GET', path, { key })
let count = 0
const newSku = () => `sku-${++count}`

describe('refused, in this order', () => {
  let sku: string
  let scarce: string
  let scarceId: string

  beforeAll(async () => {
    sku = newSku()
    scarce = newSku()
    await shop.addProduct(merchant, { sku, priceUsd: 1 })
    scarceId = await shop.addProduct(merchant, { sku: scarce, priceUsd: 1, stockQty: 2 })
  })

  const nothingMade = async (call: () => Promise<{ status: number; body: unknown }>) => {
    const before = (await get('/api/receipts')).body
    const orders = (await get('/api/orders')).body
    const stock = await shop.stockOf(merchant, scarceId)
    const answer = await call()
    expect((await get('/api/receipts')).body).toEqual(before)
    expect((await get('/api/orders')).body).toEqual(orders)
    expect(await shop.stockOf(merchant, scarceId)).toBe(stock)
    return answer
  }

  const faulty: [string, (sku: string) => object][] = [
    ['no items', () => ({})],
    ['items that are no list', () => ({ items: { sku: 'a', qty: 1 } })],
    ['an item without sku and id', () => ({ items: [{ qty: 1 }] })],
    ['an item without qty', (sku) => ({ items: [{ sku }] })],
    ['a quantity of zero', (sku) => ({ items: [{ sku, qty: 0 }] })],
    ['a negative quantity', (sku) => ({ items: [{ sku, qty: -1 }] })],
    ['half a piece', (sku) => ({ items: [{ sku, qty: 1.5 }] })],
    ['a quantity as a text', (sku) => ({ items: [{ sku, qty: '1' }] })],
    ['501 items', (sku) => ({ items: Array(501).fill({ sku, qty: 1 }) })],
    ['no jurisdiction', (sku) => ({ items: [{ sku, qty: 1 }], jurisdictionCode: undefined })],
    [
      'a jurisdiction in another form',
      (sku) => ({ items: [{ sku, qty: 1 }], jurisdictionCode: 'California' }),
    ],
    ['a country alone', (sku) => ({ items: [{ sku, qty: 1 }], jurisdictionCode: 'US' })],
    ['a rate above 1', (sku) => ({ items: [{ sku, qty: 1 }], taxRate: 1.01 })],
    ['a rate of seven decimals', (sku) => ({ items: [{ sku, qty: 1 }], taxRate: 0.1234567 })],
    ['a rate as a text', (sku) => ({ items: [{ sku, qty: 1 }], taxRate: '0.1' })],
    [
      'aliases that differ',
      (sku) => ({ items: [{ sku, qty: 1 }], returnUrl: 'https://a.x', return_url: 'https://b.x' }),
    ],
    ['a webhook that is none', (sku) => ({ items: [{ sku, qty: 1 }], webhook_url: 'nowhere' })],
    ['an expiry in the past', (sku) => ({ items: [{ sku, qty: 1 }], expiresAt: 1 })],
    [
      'a total above the limit',
      (sku) => ({
        items: [
          { sku, qty: 1_000_000_000 },
          { sku, qty: 1 },
        ],
      }),
    ],
  ]
  test.each(faulty)('400 invalid_input for %s', async (_name, body) => {
    const answer = await nothingMade(() => order(body(sku)))
    expect([answer.status, (answer.body as { error: string }).error]).toEqual([400, 'invalid_input'])
  })

  test('400 invalid_input for a jurisdiction nobody has a rate for, where something is taxable', async () => {
    const taxed = newSku()
    await shop.addProduct(merchant, { sku: taxed, priceUsd: 3, taxable: true })
    const elsewhere = { items: [{ sku: taxed, qty: 1 }], jurisdictionCode: 'BR-SP' }
    const answer = await nothingMade(() => order(elsewhere))
    expect([answer.status, (answer.body as { error: string }).error]).toEqual([400, 'invalid_input'])
    expect((await order({ ...elsewhere, items: [{ sku, qty: 1 }] })).status).toBe(201)
  })

  test('400 invalid_input for an order that comes to nothing', async () => {
    const gift = newSku()
    await shop.addProduct(merchant, { sku: gift, priceUsd: 0 })
    expect((await order({ items: [{ sku: gift, qty: 1 }] })).body.error).toBe('invalid_input')
  })

  test('400 items_required for no items, before anything else is looked at', async () => {
    const plain = await shop.addMerchant()
    for (const body of [{ items: [] }, { items: [], jurisdictionCode: 7 }, { items: [], taxRate: 'x' }]) {
      expectRefusal(await shop.call('POST', '/api/orders', { key: plain.key, body }), 400, 'items_required')
    }
  })

  test('403 split_required before the products are looked at, after the body', async () => {
    const plain = await shop.addMerchant()
    expectRefusal(await order({ items: [{ sku: 'unknown', qty: 1 }] }, plain.key), 403, 'split_required')
    expect((await order({ items: [{ qty: 1 }] }, plain.key)).body.error).toBe('invalid_input')
  })

  test('400 platform_recipient_not_configured after the split, before the products', async () => {
    const other = await startShop({ platformFeeBps: 50 })
    try {
      const owner = await other.addShop()
      const answer = await other.order(owner, { items: [{ sku: 'unknown', qty: 1 }] })
      expectRefusal(answer, 400, 'platform_recipient_not_configured')
      const plain = await other.addMerchant()
      expect((await other.order(plain, { items: [{ sku: 'x', qty: 1 }] })).body.error).toBe('split_required')
    } finally {
      await other.stop()
    }
  })

  test('400 inventory_item_not_found names what is not sold: unknown, a draft, archived, another’s, two at once', async () => {
    const [draft, gone, foreign] = [newSku(), newSku(), newSku()]
    await shop.addProduct(merchant, { sku: draft, status: 'draft' })
    const goneId = await shop.addProduct(merchant, { sku: gone })
    await shop.call('DELETE', `/api/inventory/${goneId}`, { key: merchant.key })
    const foreignId = await shop.addProduct(await shop.addShop(), { sku: foreign })
    const cases: object[] = [
      { sku: 'unknown' },
      { id: 'unknown' },
      { sku: draft },
      { sku: gone },
      { id: goneId },
      { sku: foreign },
      { id: foreignId },
      { sku, id: scarceId },
    ]
    for (const item of cases) {
      const answer = await nothingMade(() =>
        order({
          items: [
            { sku: scarce, qty: 99 },
            { ...item, qty: 1 },
          ],
        }),
      )
      expect([answer.status, answer.body]).toEqual([
        400,
        {
          error: 'inventory_item_not_found',
          message: expect.any(String),
          items: [{ index: 1, ...item }],
        },
      ])
    }
  })

  test('400 inventory_item_unavailable with the sku and what is left', async () => {
    const answer = await nothingMade(() =>
      order({
        items: [
          { sku: scarce, qty: 2 },
          { id: scarceId, qty: 1 },
          { sku, qty: 1 },
        ],
      }),
    )
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        error: 'inventory_item_unavailable',
        message: `Only 2 of ${scarce} are left, but 3 were ordered`,
        sku: scarce,
        left: 2,
        items: [{ sku: scarce, qty: 3, left: 2 }],
      },
    ])
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
