import { describe, expect, test } from 'vitest'
import { perFile } from '../../support/per-file.ts'
import { startShop } from '../../support/worlds/start-shop.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addShop())

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
      brandName: 'Sluice',
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
