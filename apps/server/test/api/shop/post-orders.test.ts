import { describe, expect, test } from 'vitest'
import { receiptBody } from '../../support/api/receipts.ts'
import { newSku, startShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addShop())

const day = 24 * 3_600_000
const order = (body: object) => shop.order(merchant, body)
const get = (path: string) => shop.call('GET', path, { key: merchant.key })
const addSku = (fields?: Record<string, unknown>) => shop.addSku(merchant, fields)

describe('201', () => {
  test('the receipt has a line for each item, then the tax; its total is their sum', async () => {
    const [taxed, free] = [newSku(), newSku()]
    const id = await shop.addProduct(merchant, { sku: taxed, name: 'Mug', priceUsd: 19.99, taxable: true })
    await shop.addProduct(merchant, { sku: free, name: 'Book', priceUsd: 1 })
    const tax = { jurisdictionCode: 'US-CA', taxRate: 0.095, taxComponents: ['state', 'county'] }
    const response = await order({
      items: [
        { sku: taxed, qty: 3 },
        { sku: free, qty: 1 },
      ],
      ...tax,
      jurisdictionCode: 'us-ca',
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
      displayStatus: 'pending',
    }
    const { receiptId } = response.body
    const paymentUrl = `https://pay.example.com/pay/${receiptId}`
    const made = { id: receiptId, receiptId, paymentUrl, status: 'pending', receipt }
    expect([response.status, response.body]).toEqual([201, { ok: true, ...made }])
    expect((await get(`/api/receipts/${receiptId}`)).body).toMatchObject({
      ...receipt,
      ...tax,
      customerTotalUsd: 66.67,
      split: { version: 1 },
      timeline: [{ kind: 'created', toStatus: 'pending' }],
    })
    const mug = { productId: id, sku: taxed, name: 'Mug' }
    const book = { productId: expect.any(String), sku: free, name: 'Book' }
    expect((await get(`/api/orders/${receiptId}`)).body).toEqual({
      ...made,
      displayStatus: 'pending',
      items: [
        { ...mug, qty: 3, unitPriceUsd: 19.99, totalUsd: 59.97, taxable: true },
        { ...book, qty: 1, unitPriceUsd: 1, totalUsd: 1, taxable: false },
      ],
      subtotalUsd: 60.97,
      taxableUsd: 59.97,
      taxUsd: 5.7,
      totalUsd: 66.67,
      ...tax,
      taxFrom: 'request',
      stock: null,
      stockMissing: [],
      createdAt: shop.clock.now(),
      expiresAt: null,
      metadata: null,
      transactionId: null,
    })
  })

  test("without a rate the catalogue's is taken, and its parts are named", async () => {
    const sku = await addSku({ priceUsd: 100, taxable: true })
    const { body } = await order({ items: [{ sku, qty: 1 }], jurisdictionCode: 'CA-QC' })
    expect(body.receipt.lineItems).toContainEqual({ label: 'Tax', priceUsd: 14.98 })
    expect((await get(`/api/orders/${body.id}`)).body).toMatchObject({
      taxRate: 0.14975,
      taxComponents: ['GST 5%', 'QST 9.975%'],
      taxFrom: 'catalog',
    })
  })

  test('a line of tax is there also where there is none to pay', async () => {
    const sku = await addSku({ priceUsd: 2 })
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
    const sku = await addSku()
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
    const given = { metadata: { cart: 7 }, transactionId: 'tx-1' }
    const billingAddress = { firstName: 'Ada', zip: '90210' }
    expect((await get(`/api/receipts/${body.id}`)).body).toMatchObject({ ...given, billingAddress })
    expect((await get(`/api/orders/${body.id}`)).body).toMatchObject(given)
    expect(body.paymentUrl).toBe(`https://pay.example.com/pay/${body.id}`)
  })

  test('an order keeps what was sold, whatever becomes of the product', async () => {
    const sku = newSku()
    const id = await shop.addProduct(merchant, { sku, name: 'Then', priceUsd: 5 })
    const { body } = await order({ items: [{ sku, qty: 1 }] })
    const before = (await get(`/api/orders/${body.id}`)).body
    const changed = { name: 'Now', priceUsd: 6, sku: newSku() }
    await shop.call('PATCH', `/api/inventory/${id}`, { key: merchant.key, body: changed })
    await shop.call('DELETE', `/api/inventory/${id}`, { key: merchant.key })
    expect((await get(`/api/orders/${body.id}`)).body).toEqual(before)
  })

  test('an order that holds stock expires after a day, or when it says; one that holds none does not', async () => {
    const [counted, free] = [await addSku({ stockQty: 9 }), await addSku()]
    const now = shop.clock.now()
    const expiryOf = async (sku: string, expiresAt?: number) => {
      const { id } = (await order({ items: [{ sku, qty: 1 }], expiresAt })).body
      return (await get(`/api/orders/${id}`)).body.expiresAt
    }
    expect(await expiryOf(counted)).toBe(now + day)
    expect(await expiryOf(counted, now + 60_000)).toBe(now + 60_000)
    expect(await expiryOf(free)).toBeNull()
    expect(await expiryOf(free, now + 1)).toBe(now + 1)
  })

  test('the receipt of an order is not replaced through POST /api/receipts', async () => {
    const sku = await addSku()
    const { id } = (await order({ items: [{ sku, qty: 1 }] })).body
    const other = { key: merchant.key, body: receiptBody(id, 1) }
    expect((await shop.call('POST', '/api/receipts', other)).status).not.toBe(201)
    expect((await get(`/api/receipts/${id}`)).body.totalUsd).toBe(3.5)
  })
})
