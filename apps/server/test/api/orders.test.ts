import type { Bps } from '@sluice/protocol/money.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestMerchant } from '../support/start-api.ts'
import { startShop, type TestShop } from '../support/start-shop.ts'

let shop: TestShop
let merchant: TestMerchant

beforeAll(async () => {
  shop = await startShop()
  merchant = await shop.addShop()
})
afterAll(() => shop.stop())

const day = 24 * 3_600_000
const order = (body: object, key = merchant.key) =>
  shop.call('POST', '/api/orders', { key, body: { jurisdictionCode: 'US-OR', ...body } })
const get = (path: string, key = merchant.key) => shop.call('GET', path, { key })
let count = 0
const newSku = () => `sku-${++count}`

describe('201', () => {
  test('the receipt has a line for each item, then the tax; its total is their sum', async () => {
    const [taxed, free] = [newSku(), newSku()]
    const id = await shop.addProduct(merchant, { sku: taxed, name: 'Mug', priceUsd: 19.99, taxable: true })
    await shop.addProduct(merchant, { sku: free, name: 'Book', priceUsd: 1 })
    const answer = await order({
      items: [
        { sku: taxed, qty: 3 },
        { sku: free, qty: 1 },
      ],
      jurisdictionCode: 'us-ca',
      taxRate: 0.095,
      taxComponents: ['state', 'county'],
    })
    const receipt = {
      receiptId: expect.stringMatching(/^R-[0-9A-HJKMNP-TV-Z]{26}$/),
      totalUsd: 66.67,
      currency: 'USD',
      lineItems: [
        { label: 'Mug', priceUsd: 59.97, qty: 3 },
        { label: 'Book', priceUsd: 1, qty: 1 },
        { label: 'Tax', priceUsd: 5.7 },
      ],
      createdAt: shop.clock.now(),
      brandName: 'Test Shop',
      status: 'pending',
    }
    const { receiptId } = answer.body
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        ok: true,
        id: receiptId,
        receiptId,
        paymentUrl: `https://pay.example.com/pay/${receiptId}`,
        status: 'pending',
        receipt,
      },
    ])
    expect((await get(`/api/receipts/${receiptId}`)).body).toMatchObject({
      ...receipt,
      jurisdictionCode: 'US-CA',
      taxRate: 0.095,
      taxComponents: ['state', 'county'],
      customerTotalUsd: 66.67,
      split: { version: 1 },
      timeline: [{ kind: 'created', toStatus: 'pending' }],
    })
    const known = (await get(`/api/orders/${receiptId}`)).body
    expect(known).toEqual({
      id: receiptId,
      receiptId,
      paymentUrl: `https://pay.example.com/pay/${receiptId}`,
      status: 'pending',
      items: [
        {
          productId: id,
          sku: taxed,
          name: 'Mug',
          qty: 3,
          unitPriceUsd: 19.99,
          totalUsd: 59.97,
          taxable: true,
        },
        {
          productId: expect.any(String),
          sku: free,
          name: 'Book',
          qty: 1,
          unitPriceUsd: 1,
          totalUsd: 1,
          taxable: false,
        },
      ],
      subtotalUsd: 60.97,
      taxableUsd: 59.97,
      taxUsd: 5.7,
      totalUsd: 66.67,
      jurisdictionCode: 'US-CA',
      taxRate: 0.095,
      taxComponents: ['state', 'county'],
      taxFrom: 'request',
      stock: null,
      stockMissing: [],
      createdAt: shop.clock.now(),
      expiresAt: null,
      metadata: null,
      transactionId: null,
      receipt,
    })
  })

  test("without a rate the catalogue's is taken, and its parts are named", async () => {
    const sku = newSku()
    await shop.addProduct(merchant, { sku, priceUsd: 100, taxable: true })
    const { body } = await order({ items: [{ sku, qty: 1 }], jurisdictionCode: 'CA-QC' })
    expect(body.receipt.lineItems).toContainEqual({ label: 'Tax', priceUsd: 14.98 })
    expect((await get(`/api/orders/${body.id}`)).body).toMatchObject({
      taxRate: 0.14975,
      taxComponents: ['GST 5%', 'QST 9.975%'],
      taxFrom: 'catalog',
    })
  })

  test('a line of tax is there also where there is none to pay', async () => {
    const sku = newSku()
    await shop.addProduct(merchant, { sku, priceUsd: 2 })
    const { body } = await order({ items: [{ sku, qty: 2 }], jurisdictionCode: 'US-CA' })
    expect(body.receipt).toMatchObject({
      totalUsd: 4,
      lineItems: [
        { label: 'Coffee', priceUsd: 4, qty: 2 },
        { label: 'Tax', priceUsd: 0 },
      ],
    })
  })

  test('products are named by sku, by id, or by both, also one product in two lines', async () => {
    const sku = newSku()
    const id = await shop.addProduct(merchant, { sku, priceUsd: 1, stockQty: 5 })
    const { status, body } = await order({
      items: [
        { sku, qty: 1 },
        { id, qty: 2 },
        { sku, id, qty: 1 },
      ],
    })
    expect([status, body.receipt.totalUsd]).toEqual([201, 4])
    expect(await shop.stockOf(merchant, id)).toBe(1)
  })

  test("everything of a receipt's can be given along", async () => {
    const sku = newSku()
    await shop.addProduct(merchant, { sku })
    const { body } = await order({
      items: [{ sku, qty: 1 }],
      redirect_url: 'https://shop.example.com/done',
      returnUrl: 'https://shop.example.com/back',
      webhook_url: 'https://shop.example.com/hook',
      onSuccess: 'https://shop.example.com/yes',
      metadata: { cart: 7 },
      clientTransactionId: 'tx-1',
      customerFirstName: 'Ada',
      billingAddressZip: '90210',
    })
    expect((await get(`/api/receipts/${body.id}`)).body).toMatchObject({
      metadata: { cart: 7 },
      transactionId: 'tx-1',
      billingAddress: { firstName: 'Ada', zip: '90210' },
    })
    expect((await get(`/api/orders/${body.id}`)).body).toMatchObject({
      metadata: { cart: 7 },
      transactionId: 'tx-1',
    })
    expect(body.paymentUrl).toBe(`https://pay.example.com/pay/${body.id}`)
  })

  test('an order keeps what was sold, whatever becomes of the product', async () => {
    const sku = newSku()
    const id = await shop.addProduct(merchant, { sku, name: 'Then', priceUsd: 5 })
    const { body } = await order({ items: [{ sku, qty: 1 }] })
    const before = (await get(`/api/orders/${body.id}`)).body
    await shop.call('PATCH', `/api/inventory/${id}`, {
      key: merchant.key,
      body: { name: 'Now', priceUsd: 6, sku: newSku() },
    })
    await shop.call('DELETE', `/api/inventory/${id}`, { key: merchant.key })
    expect((await get(`/api/orders/${body.id}`)).body).toEqual(before)
  })

  test('an order that holds stock expires after a day, or when it says; one that holds none does not', async () => {
    const [counted, free] = [newSku(), newSku()]
    await shop.addProduct(merchant, { sku: counted, stockQty: 9 })
    await shop.addProduct(merchant, { sku: free })
    const now = shop.clock.now()
    const expiryOf = async (body: object) =>
      (await get(`/api/orders/${(await order(body)).body.id}`)).body.expiresAt
    expect(await expiryOf({ items: [{ sku: counted, qty: 1 }] })).toBe(now + day)
    expect(await expiryOf({ items: [{ sku: counted, qty: 1 }], expiresAt: now + 60_000 })).toBe(now + 60_000)
    expect(await expiryOf({ items: [{ sku: free, qty: 1 }] })).toBeNull()
    expect(await expiryOf({ items: [{ sku: free, qty: 1 }], expiresAt: now + 1 })).toBe(now + 1)
  })

  test('the receipt of an order is not replaced through POST /api/receipts', async () => {
    const sku = newSku()
    await shop.addProduct(merchant, { sku })
    const { id } = (await order({ items: [{ sku, qty: 1 }] })).body
    const body = { id, lineItems: [{ label: 'x', priceUsd: 1 }], totalUsd: 1 }
    expect((await shop.call('POST', '/api/receipts', { key: merchant.key, body })).status).not.toBe(201)
    expect((await get(`/api/receipts/${id}`)).body.totalUsd).toBe(3.5)
  })
})

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
    [
      'a jurisdiction nobody has a rate for',
      (sku) => ({ items: [{ sku, qty: 1 }], jurisdictionCode: 'BR-SP' }),
    ],
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

  test('400 invalid_input for an order that comes to nothing', async () => {
    const gift = newSku()
    await shop.addProduct(merchant, { sku: gift, priceUsd: 0 })
    expect((await order({ items: [{ sku: gift, qty: 1 }] })).body.error).toBe('invalid_input')
  })

  test('400 items_required for no items, before anything else is looked at', async () => {
    const plain = await shop.addMerchant()
    for (const body of [{ items: [] }, { items: [], jurisdictionCode: 7 }, { items: [], taxRate: 'x' }]) {
      const answer = await shop.call('POST', '/api/orders', { key: plain.key, body })
      expect([answer.status, answer.body.error]).toEqual([400, 'items_required'])
    }
  })

  test('403 split_required before the products are looked at, after the body', async () => {
    const plain = await shop.addMerchant()
    const answer = await order({ items: [{ sku: 'unknown', qty: 1 }] }, plain.key)
    expect([answer.status, answer.body.error]).toEqual([403, 'split_required'])
    expect((await order({ items: [{ qty: 1 }] }, plain.key)).body.error).toBe('invalid_input')
    const elsewhere = { items: [{ sku: 'x', qty: 1 }], jurisdictionCode: 'BR-SP' }
    expect((await order(elsewhere, plain.key)).body.error).toBe('invalid_input')
  })

  test('400 platform_recipient_not_configured after the split, before the products', async () => {
    const other = await startShop({ platform: { feeBps: 50 as Bps, recipient: undefined } })
    try {
      const owner = await other.addShop()
      const answer = await other.order(owner, { items: [{ sku: 'unknown', qty: 1 }] })
      expect([answer.status, answer.body.error]).toEqual([400, 'platform_recipient_not_configured'])
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
        message: `Of ${scarce} there are 2 left, 3 were ordered`,
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

describe('GET /api/orders', () => {
  test('newest first; the cursor walks the list without a gap or a repeat', async () => {
    const owner = await shop.addShop()
    const sku = newSku()
    await shop.addProduct(owner, { sku })
    const made: string[] = []
    for (let i = 0; i < 5; i++) {
      if (i !== 2) await shop.clock.advance(1)
      made.push((await shop.order(owner, { items: [{ sku, qty: 1 }] })).body.id)
    }
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const more: string = cursor ? `&cursor=${cursor}` : ''
      const { body } = await get(`/api/orders?limit=2${more}`, owner.key)
      seen.push(...body.orders.map((each: { id: string }) => each.id))
      cursor = body.nextCursor
    } while (cursor)
    expect(seen.length).toBe(5)
    expect([seen[0], seen[1], seen[4]]).toEqual([made[4], made[3], made[0]])
    expect(seen.toSorted()).toEqual(made.toSorted())
  })

  test.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'cursor=nonsense',
    'limit=1&limit=1',
  ])('400 invalid_input for %s', async (query) => {
    const answer = await get(`/api/orders?${query}`)
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_input'])
  })

  test("another merchant's orders are in no list, and 404 as unknown ones are", async () => {
    const sku = newSku()
    await shop.addProduct(merchant, { sku })
    const { id } = (await order({ items: [{ sku, qty: 1 }] })).body
    const other = await shop.addShop()
    expect((await get('/api/orders', other.key)).body).toEqual({ orders: [], nextCursor: null })
    for (const path of [id, `R-${'0'.repeat(26)}`, 'x', '%00']) {
      const answer = await get(`/api/orders/${path}`, other.key)
      expect([answer.status, answer.body]).toEqual([404, { error: 'not_found', message: 'Order not found' }])
    }
  })

  test('a receipt that no order made is no order', async () => {
    const body = { id: 'plain', lineItems: [{ label: 'x', priceUsd: 1 }], totalUsd: 1 }
    await shop.call('POST', '/api/receipts', { key: merchant.key, body })
    expect((await get('/api/orders/plain')).status).toBe(404)
  })
})
