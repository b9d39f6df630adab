import { beforeAll, expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError, expectKeyErrors } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)
const incomplete = perFile(() => startMerchantApi({ beside: context, platformRecipient: undefined }))
let productId: string

beforeAll(async () => {
  await context.addSplit(context.merchant.wallet)
  const body = { sku: 'coffee', name: 'Coffee', priceUsd: 3.5, taxable: true }
  productId = (await context.post('/api/inventory', body)).body.item.id
})

const order = (body: object) => context.post('/api/orders', { jurisdictionCode: 'US-CA', ...body })
const ordered = async (body: object) => {
  const response = await order(body)
  expect(response.status, response.text).toBe(201)
  return response.body
}
const items = [{ sku: 'coffee', qty: 2 }]

row(
  'order.items',
  'is required; each item needs a product and an integer quantity of at least 1',
  async () => {
    const { receipt } = await ordered({ items, taxRate: 0 })
    expect(receipt.lineItems[0]).toEqual({ label: 'Coffee', priceUsd: 7, qty: 2 })
    for (const wrong of [undefined, 'coffee', [{ sku: 'coffee' }], [{ qty: 1 }], [{ sku: 7, qty: 1 }]])
      expectError(await order({ items: wrong }), 400, 'invalid_input', JSON.stringify(wrong))
    for (const qty of [0, -1, 1.5, '1'])
      expectError(await order({ items: [{ sku: 'coffee', qty }] }), 400, 'invalid_input', `${qty}`)
  },
)

row('order.items-id', "accepts the product's id instead of its sku", async () => {
  const { receipt } = await ordered({ items: [{ id: productId, qty: 1 }], taxRate: 0 })
  expect(receipt.lineItems[0]).toEqual({ label: 'Coffee', priceUsd: 3.5, qty: 1 })
})

row(
  'order.jurisdictionCode',
  'is required, has the form <country>-<region>, and determines the tax',
  async () => {
    const { receiptId, receipt } = await ordered({ items, jurisdictionCode: 'us-ca' })
    expect(await context.detail(receiptId)).toMatchObject({ jurisdictionCode: 'US-CA', taxRate: 0.0725 })
    expect(receipt.lineItems[1]).toEqual({ label: 'Tax', priceUsd: 0.51 })
    for (const jurisdictionCode of [undefined, 7, 'US', 'California', 'ZZ-ZZ'])
      expectError(
        await order({ items, jurisdictionCode }),
        400,
        'invalid_input',
        jurisdictionCode?.toString(),
      )
  },
)

row('post-orders.answer', 'returns 201 with the order and its pending receipt', async () => {
  const response = await order({ items, taxRate: 0.1 })
  const { id } = response.body
  expect(response.status).toBe(201)
  expect(id).toMatch(/^R-[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(response.body).toEqual({
    ok: true,
    id,
    receiptId: id,
    paymentUrl: `https://pay.example.com/pay/${id}`,
    status: 'pending',
    receipt: {
      receiptId: id,
      totalUsd: 7.7,
      currency: 'USD',
      lineItems: [
        { label: 'Coffee', priceUsd: 7, qty: 2 },
        { label: 'Tax', priceUsd: 0.7 },
      ],
      createdAt: context.clock.now(),
      brandName: 'Blue Door',
      status: 'pending',
      displayStatus: 'pending',
    },
  })
  expect((await context.get(`/api/receipts/${id}`)).body.totalUsd).toBe(7.7)
})

row('post-orders.payment-url', "links to the receipt's checkout without a recipient parameter", async () => {
  const { paymentUrl, receiptId } = await ordered({ items })
  expect(paymentUrl).toBe(`https://pay.example.com/pay/${receiptId}`)
  const checkout = await context.call('GET', `/api/checkout/${receiptId}`)
  expect([checkout.status, checkout.body.recipient]).toEqual([200, context.merchant.wallet])
})

row('post-orders.400-items_required', 'is returned for an order without items', async () => {
  expectError(await order({ items: [] }), 400, 'items_required')
  expectError(await order({ items: [], jurisdictionCode: 7 }), 400, 'items_required')
})

row(
  'post-orders.400-inventory_item_not_found',
  'is returned for a sku or id that does not belong to the merchant',
  async () => {
    const other = await context.addMerchant()
    await context.addSplit(other.wallet)
    const tea = { sku: 'tea', qty: 1 }
    for (const wrong of [[tea], [...items, { id: 'tea', qty: 1 }], [{ ...tea, id: productId }]])
      expectError(await order({ items: wrong }), 400, 'inventory_item_not_found')
    const body = { items, jurisdictionCode: 'US-CA' }
    const theirs = await context.post('/api/orders', body, { key: other.key })
    expectError(theirs, 400, 'inventory_item_not_found')
    expect((await context.get('/api/receipts', { key: other.key })).body.receipts).toEqual([])
  },
)

row('post-orders.403-split_required', 'is returned for a merchant without a split', async () => {
  const { key } = await context.addMerchant()
  const response = await context.post('/api/orders', { items, jurisdictionCode: 'US-CA' }, { key })
  expectError(response, 403, 'split_required')
})

row(
  'post-orders.400-platform_recipient_not_configured',
  'is returned if the platform charges a fee but has no recipient address',
  async () => {
    const body = { items, jurisdictionCode: 'US-CA' }
    const response = await incomplete.post('/api/orders', body, { key: context.merchant.key })
    expectError(response, 400, 'platform_recipient_not_configured')
  },
)

row('post-orders.400-invalid_input', 'lists every invalid field of the body', async () => {
  const response = await order({ items: [{ sku: 'coffee', qty: 0 }], taxRate: 2 })
  expectError(response, 400, 'invalid_input')
  const paths = response.body.issues.map(({ path }: { path: string }) => path)
  expect(paths).toEqual(expect.arrayContaining(['items/0/qty', 'taxRate']))
})

row('post-orders.refusals', 'returns 401, 403, 429 and 500, each with its error code', async () => {
  const body = { items, jurisdictionCode: 'US-CA' }
  const endpoint = { method: 'POST', path: '/api/orders', body, table: 'split' }
  await expectKeyErrors(context, endpoint, 'orders:create')
})
