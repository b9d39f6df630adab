import { beforeAll, expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectDefect, expectError, expectRateLimit } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { scriptedRates } from '../support/api/scripted-rates.ts'
import { logIn, newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

let count = 0
const euro = scriptedRates({ EUR: 1.08 }, () => context.clock.now())
const operator = newWallet()
const context = perFile(() => startMerchantApi({ operatorWallets: [operator.wallet], rates: [euro] }))
const incomplete = perFile(() => startMerchantApi({ beside: context, platformRecipient: undefined }))
beforeAll(() => context.addSplit(context.merchant.wallet))

const receipt = (fields: object = {}) => receiptBody(`error-${++count}`, 3.5, fields)
const native = (amount: number, fields: object = {}) =>
  receipt({ lineItems: [{ label: 'Tea', amount }], totalUsd: undefined, ...fields })
const report = (body: object) => context.call('POST', '/api/receipts/status', { body })
const refund = (body: object) => context.postAsOwner('/api/receipts/refund', body)
const order = (items: object[]) => context.post('/api/orders', { items, jurisdictionCode: 'US-OR' })

row('error.format', 'is a JSON object with a code and a message, for every kind of error', async () => {
  for (const [response, status] of [
    [await context.call('GET', '/api/receipts'), 401],
    [await context.get('/api/receipts/none'), 404],
    [await context.post('/api/receipts', '{'), 400],
    [await context.call('PUT', '/api/receipts'), 404],
    [await context.get(`/api/receipts/${'x'.repeat(5_000)}`), 400],
  ] as const) {
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(response.body.error).toMatch(/^[a-z_]+$/)
    expect(response.body.message).toMatch(/\w/)
  }
})

row('error.statuses', 'are only those of the contract, even if a framework uses others', async () => {
  const allowed = [200, 201, 204, 400, 401, 403, 404, 409, 410, 429, 500, 503]
  const { key } = context.merchant
  const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    context.call(method, path, { key, headers, ...(body !== undefined && { body }) })
  for (const [what, response, status] of [
    ['another method', await send('PATCH', '/api/receipts', {}, '{}'), 404],
    ['an unknown path', await send('GET', '/api/nothing', {}), 404],
    ['another type', await send('POST', '/api/receipts', { 'content-type': 'text/plain' }, 'x'), 400],
    ['too large', await send('POST', '/api/receipts', {}, `"${'x'.repeat(300_000)}"`), 400],
    ['too deep', await send('POST', '/api/receipts', {}, `${'['.repeat(40)}${']'.repeat(40)}`), 400],
    ['made', await context.post('/api/receipts', receipt()), 201],
  ] as const) {
    expect(response.status, what).toBe(status)
    expect(allowed).toContain(response.status)
  }
})

row('error.401.unauthorized', 'is returned without a valid key or an active session', async () => {
  expectError(await context.call('GET', '/api/receipts'), 401, 'unauthorized')
  expectError(await context.get('/api/receipts', { key: 'sk_test_wrong' }), 401, 'unauthorized')
  const session = await context.logInOwner()
  await context.call('POST', '/api/auth/logout', { session })
  for (const options of [{}, { session }]) {
    const response = await context.call('POST', '/api/receipts/terminal', {
      ...options,
      body: { amountUsd: 5 },
    })
    expectError(response, 401, 'unauthorized')
    expect(response.body.message).toContain('JWT authentication failed')
  }
})

row(
  'error.403.forbidden',
  'is returned for a missing scope, a wrong origin, a forbidden action and wallet headers',
  async () => {
    const { key } = await context.addMerchant({ scopes: ['shop:read'] })
    expectError(await context.get('/api/receipts', { key }), 403, 'forbidden')
    const headers = { origin: 'https://evil.example.com' }
    expectError(await context.postAsOwner('/api/shop/config', { bio: 'x' }, { headers }), 403, 'forbidden')
    expectError(await context.post('/api/shop/config', { bio: 'x' }), 403, 'forbidden')
    const wallet = { 'x-wallet': context.merchant.wallet }
    expectError(await context.call('GET', '/api/receipts', { headers: wallet }), 403, 'forbidden')
  },
)

row('error.403.split_required', 'is returned for orders and terminal receipts without a split', async () => {
  const session = await logIn(context, newWallet())
  const body = { items: [{ sku: 'tea', qty: 1 }], jurisdictionCode: 'US-OR' }
  expectError(await context.call('POST', '/api/orders', { session, body }), 403, 'split_required')
  const sale = { session, body: { amountUsd: 5 } }
  expectError(await context.call('POST', '/api/receipts/terminal', sale), 403, 'split_required')
})

row('error.400.invalid_input', 'lists every error in issues', async () => {
  const response = await context.post('/api/inventory', { name: 7, priceUsd: -1 })
  expectError(response, 400, 'invalid_input')
  expect(response.body.issues.length).toBeGreaterThanOrEqual(2)
  for (const issue of response.body.issues) expect(Object.keys(issue).sort()).toEqual(['message', 'path'])
})

row('error.400.items_required', 'is returned for an order without items', async () => {
  expectError(await order([]), 400, 'items_required')
})

row('error.400.inventory_item_not_found', 'is returned for an order of an unknown product', async () => {
  expectError(await order([{ sku: 'none', qty: 1 }]), 400, 'inventory_item_not_found')
  expectError(await order([{ id: 'none', qty: 1 }]), 400, 'inventory_item_not_found')
})

row(
  'error.400.platform_recipient_not_configured',
  'is returned if no address receives the platform fee',
  async () => {
    const body = { items: [{ sku: 'none', qty: 1 }], jurisdictionCode: 'US-OR' }
    const response = await incomplete.post('/api/orders', body, { key: context.merchant.key })
    expectError(response, 400, 'platform_recipient_not_configured')
  },
)

row('error.400.missing_receipt_id', 'is checked first, in status and refund requests', async () => {
  expectError(await report({}), 400, 'missing_receipt_id')
  expectError(await refund({}), 400, 'missing_receipt_id')
  expectError(await context.get('/api/receipts/status'), 400, 'missing_receipt_id')
})

row('error.400.invalid_wallet', 'is checked second, in status and refund requests', async () => {
  expectError(await report({ receiptId: 'a' }), 400, 'invalid_wallet')
  expectError(await refund({ receiptId: 'a', wallet: '0x12' }), 400, 'invalid_wallet')
})

row('error.400.missing_status', 'is returned for a status report without a status', async () => {
  expectError(await report({ receiptId: 'a', wallet: context.merchant.wallet }), 400, 'missing_status')
})

row('error.400.invalid_buyer', 'is returned for a refund without a buyer', async () => {
  expectError(await refund({ receiptId: 'a', wallet: context.merchant.wallet }), 400, 'invalid_buyer')
})

row(
  'error.400.invalid_usd',
  'is returned for a refund without an amount, or with one that is too high',
  async () => {
    const { wallet } = context.merchant
    const body = { receiptId: 'a', wallet, buyer: wallet }
    expectError(await refund(body), 400, 'invalid_usd')
    const id = await context.newReceipt()
    await context.takeForPaid(id)
    expectError(await refund({ ...body, receiptId: id, usd: 3.51 }), 400, 'invalid_usd')
  },
)

row('error.400.wallet_required', 'is returned for a sale without a merchant', async () => {
  const session = await logIn(context, operator)
  const sale = { session, body: { amountUsd: 5 } }
  expectError(await context.call('POST', '/api/receipts/terminal', sale), 400, 'wallet_required')
})

row('error.400.invalid_amount', 'is returned for a sale without an amount', async () => {
  expectError(await context.postAsOwner('/api/receipts/terminal', {}), 400, 'invalid_amount')
})

row('error.404.not_found', 'is returned if the object does not exist', async () => {
  const receipt = await context.get('/api/receipts/none')
  expectError(receipt, 404, 'not_found')
  expect(receipt.body.message).toBe('Receipt not found')
  const { key } = await context.addMerchant()
  expectError(await context.get('/api/shop/config', { key }), 404, 'not_found')
})

row('error.409', 'is returned for different content with the id of a native receipt', async () => {
  const body = native(3.5)
  await context.post('/api/receipts', body)
  expectError(await context.post('/api/receipts', { ...native(4), id: body.id }), 409, 'receipt_exists')
})

row('error.410.deprecated', 'is returned for withdrawals', async () => {
  expectError(await context.post('/api/split/withdraw', {}), 410, 'deprecated')
})

row('error.429.rate_limited', 'returns the time for a retry in resetAt', async () => {
  const { key } = await context.addMerchant()
  await expectRateLimit(context, { method: 'GET', path: '/api/receipts', table: 'receipt' }, { key })
})

row('error.500.failed', 'is returned for a defect, without internal details', () =>
  expectDefect(
    context,
    { method: 'GET', path: '/api/receipts', table: 'receipt' },
    { key: context.merchant.key },
  ),
)

row('error.503', 'is returned if no exchange rate is known', async () => {
  euro.usd.EUR = undefined
  await context.clock.advance(72 * 3_600_000)
  const body = native(3.5, { currency: 'EUR' })
  expectError(await context.post('/api/receipts', body), 503, 'exchange_rate_unavailable')
  expectError(await context.get(`/api/receipts/${body.id}`), 404, 'not_found')
})

row('error.x-correlation-id', "is in every response: the client's own id, otherwise a new one", async () => {
  const headers = { 'X-Correlation-Id': 'order-7.retry_2' }
  for (const path of ['/api/receipts', '/api/receipts/none', '/api/nothing', '/healthz'])
    expect((await context.get(path, { headers })).headers.get('x-correlation-id'), path).toBe(
      'order-7.retry_2',
    )
  for (const bad of ['a b', 'x'.repeat(65), '<script>']) {
    const response = await context.get('/api/receipts', { headers: { 'X-Correlation-Id': bad } })
    expect(response.headers.get('x-correlation-id')).not.toBe(bad)
  }
  expect((await context.get('/api/receipts')).headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
})
