import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)

row('service.1', 'developer endpoints return JSON for a subscription key', async () => {
  const own = ['inventory', 'orders', 'receipts', 'split/deploy', 'split/transactions']
  for (const path of [...own, 'shop/config', 'site/config']) {
    const response = await context.get(`/api/${path}`)
    expect(response.status, path).toBe(200)
    expect(response.headers.get('content-type'), path).toBe('application/json; charset=utf-8')
  }
})

row('service.2', "the payee is the subscription's wallet, regardless of what the client sends", async () => {
  const wallet = newWallet().wallet
  const body = { ...receiptBody('bound'), wallet, merchantWallet: wallet, recipient: wallet }
  const response = await context.post('/api/receipts', body, { headers: { 'x-merchant-wallet': wallet } })
  expect(response.body.paymentUrl).toContain(`recipient=${context.merchant.wallet}`)
  expect((await context.call('GET', `/api/checkout/bound?recipient=${wallet}`)).status).toBe(404)
})

row('service.3', 'receipts and orders have a payment URL and a status to poll', async () => {
  const { key, wallet } = await context.addMerchant()
  await context.addSplit(wallet)
  await context.post('/api/inventory', { sku: 'tea', name: 'Tea', priceUsd: 3.5 }, { key })
  const made = await context.post('/api/receipts', receiptBody('sale'), { key })
  const body = { items: [{ sku: 'tea', qty: 1 }], jurisdictionCode: 'US-OR' }
  const ordered = await context.post('/api/orders', body, { key })
  for (const { paymentUrl, id } of [made.body, ordered.body]) {
    expect(paymentUrl).toMatch(/^https:\/\/pay\.example\.com\/(portal|pay)\//)
    const polled = await context.get(`/api/receipts/status?receiptId=${id}`, { key })
    expect(polled.body.status).toBe('pending')
  }
})

row('service.4', 'an order requires a split', async () => {
  const { key, wallet } = await context.addMerchant()
  await context.post('/api/inventory', { sku: 'tea', name: 'Tea', priceUsd: 3.5 }, { key })
  const body = { items: [{ sku: 'tea', qty: 1 }], jurisdictionCode: 'US-OR' }
  expectError(await context.post('/api/orders', body, { key }), 403, 'split_required')
  await context.addSplit(wallet)
  expect((await context.post('/api/orders', body, { key })).status).toBe(201)
})

row('service.5', 'operations for logged-in members return 403 for a key with any scope', async () => {
  const { wallet } = context.merchant
  for (const [path, body] of [
    ['/api/shop/config', { bio: 'x' }],
    ['/api/site/config', {}],
    ['/api/split/deploy', {}],
    ['/api/receipts/terminal', { amountUsd: 5 }],
    ['/api/receipts/refund', { receiptId: 'a', wallet, buyer: wallet, usd: 1 }],
    ['/api/receipts/status', { receiptId: 'a', wallet, status: 'checkout_success' }],
    ['/api/subscriptions', { name: 'more' }],
    ['/api/members', { wallet, role: 'owner' }],
  ] as const)
    expectError(await context.post(path, body), 403, 'forbidden', path)
})

row('service.6', 'the health check responds without a key', async () => {
  const response = await context.call('GET', '/healthz')
  expect([response.status, response.body.status]).toEqual([200, 'ok'])
})
