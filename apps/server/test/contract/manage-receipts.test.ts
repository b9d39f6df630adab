import { expect } from 'vitest'
import type { CallOptions } from '../support/api/call-api.ts'
import { row } from '../support/api/contract.ts'
import {
  expectDefect,
  expectError,
  expectRateLimit,
  expectSessionErrors,
} from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { logInAs, newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)
const { wallet: buyer } = newWallet()
const txHash = `0x${'cd'.repeat(32)}`

const report = (fields: object, options: CallOptions = {}) => {
  const body = { receiptId: 'some', wallet: context.merchant.wallet, status: 'link_opened', ...fields }
  return context.call('POST', '/api/receipts/status', { body, ...options })
}
const refund = (fields: object) =>
  context.postAsOwner('/api/receipts/refund', { wallet: context.merchant.wallet, buyer, usd: 1, ...fields })
const paid = async () => {
  const id = await context.newReceipt()
  await context.takeForPaid(id)
  return id
}

row('post-receipts-status.receiptId', 'is required', async () => {
  for (const receiptId of [undefined, '', 7, null])
    expectError(await report({ receiptId }), 400, 'missing_receipt_id')
  expect((await report({ receiptId: await context.newReceipt() })).status).toBe(200)
})

row('post-receipts-status.wallet', "is required and must be the merchant's wallet", async () => {
  for (const wallet of [undefined, '', 7, '0x12', 'blue-door'])
    expectError(await report({ wallet }), 400, 'invalid_wallet')
  const receiptId = await context.newReceipt()
  const other = await report(
    { receiptId, wallet: buyer, status: 'checkout_success' },
    { session: context.owner },
  )
  expectError(other, 403, 'forbidden')
  expect((await context.detail(receiptId)).status).toBe('pending')
})

row('post-receipts-status.status', 'is required', async () => {
  for (const status of [undefined, '', 7, null]) expectError(await report({ status }), 400, 'missing_status')
})

row('post-receipts-status.200', 'is { ok: true } and nothing else', async () => {
  const receiptId = await context.newReceipt()
  const response = await report({ receiptId, status: 'checkout_success' }, { session: context.owner })
  expect([response.status, response.body]).toEqual([200, { ok: true }])
  expect((await context.detail(receiptId)).status).toBe('paid')
})

row(
  'post-receipts-status.tracking',
  'tracking values need neither key nor session, and are counted',
  async () => {
    const receiptId = await context.newReceipt()
    for (const status of ['link_opened', 'buyer_logged_in', 'checkout_initialized']) {
      const response = await report({ receiptId, status })
      expect([response.status, response.body]).toEqual([200, { ok: true }])
    }
    const { telemetry, status } = await context.detail(receiptId)
    const counted = telemetry.map(({ value, count }: { value: string; count: number }) => `${value} ${count}`)
    expect(counted.sort()).toEqual(['buyer_logged_in 1', 'checkout_initialized 1', 'link_opened 1'])
    expect(status).toBe('pending')
  },
)

row(
  'post-receipts-status.sensitive',
  'sensitive values require an admin session with its CSRF token',
  async () => {
    const receiptId = await context.newReceipt()
    const { owner, merchant } = context
    const cashier = await logInAs(context, merchant.wallet, 'cashier')
    const sessions = [cashier, { ...owner, csrfToken: 'x' }].map((session) => ({ session }))
    const elsewhere = { session: owner, headers: { origin: 'https://evil.example.com' } }
    for (const status of ['checkout_success', 'refund_requested', 'refund_other', 'paid'])
      for (const options of [{}, { key: merchant.key }, ...sessions, elsewhere])
        expectError(await report({ receiptId, status }, options), 403, 'forbidden', status)
    expect((await context.detail(receiptId)).status).toBe('pending')
    for (const [status, to] of Object.entries({
      checkout_success: 'paid',
      refund_requested: 'refund_requested',
    })) {
      expect((await report({ receiptId, status }, { session: owner })).status).toBe(200)
      expect((await context.detail(receiptId)).status).toBe(to)
    }
  },
)

row('post-receipts-status.429', 'is returned when the limit is exceeded', async () => {
  const body = { receiptId: 'some', wallet: context.merchant.wallet, status: 'link_opened' }
  const endpoint = { method: 'POST', path: '/api/receipts/status', body, table: 'receipt' }
  await expectRateLimit(context, endpoint, {})
})

row('post-receipts-status.500', 'is failed and reveals no internal details', async () => {
  const receiptId = await context.newReceipt()
  const body = { receiptId, wallet: context.merchant.wallet, status: 'link_opened' }
  const endpoint = { method: 'POST', path: '/api/receipts/status', body, table: 'receipt_telemetry' }
  await expectDefect(context, endpoint, {})
})

row(
  'post-receipts-status.x-correlation-id',
  "is in every response: the client's own id if sent, otherwise a new one",
  async () => {
    expect((await report({})).headers.get('x-correlation-id')).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
    const headers = { 'X-Correlation-Id': 'till-7.3' }
    expect((await report({}, { headers })).headers.get('x-correlation-id')).toBe('till-7.3')
    expect((await report({ wallet: 1 }, { headers })).headers.get('x-correlation-id')).toBe('till-7.3')
  },
)

row('post-receipts-refund.receiptId', 'is required and must identify an existing receipt', async () => {
  for (const receiptId of [undefined, '', 7])
    expectError(await refund({ receiptId }), 400, 'missing_receipt_id')
  expectError(await refund({ receiptId: 'never-made' }), 404, 'not_found')
})

row(
  'post-receipts-refund.wallet',
  "is required and must be the wallet of the session's merchant",
  async () => {
    const receiptId = await paid()
    for (const wallet of [undefined, 'me', 7])
      expectError(await refund({ receiptId, wallet }), 400, 'invalid_wallet')
    expectError(await refund({ receiptId, wallet: buyer }), 403, 'forbidden')
  },
)

row('post-receipts-refund.buyer', 'must be a wallet address and is stored', async () => {
  const receiptId = await paid()
  for (const wrong of [undefined, 'me', 7])
    expectError(await refund({ receiptId, buyer: wrong }), 400, 'invalid_buyer')
  expect((await refund({ receiptId })).status).toBe(200)
  expect((await context.detail(receiptId)).refunds[0].buyer).toBe(buyer)
})

row(
  'post-receipts-refund.usd',
  'must be positive, have at most two decimals, and not exceed the paid amount',
  async () => {
    const receiptId = await paid()
    for (const usd of [undefined, '1', 0, -1, 1.001, 3.51, null])
      expectError(await refund({ receiptId, usd }), 400, 'invalid_usd', `${usd}`)
    expect((await refund({ receiptId, usd: 3.49 })).status).toBe(200)
    expectError(await refund({ receiptId, usd: 0.02 }), 400, 'invalid_usd')
    expect((await context.detail(receiptId)).refunds[0].usd).toBe(3.49)
    expectError(await refund({ receiptId: await context.newReceipt() }), 400, 'invalid_usd')
  },
)

row('post-receipts-refund.items', 'is stored with label, price and quantity', async () => {
  const receiptId = await paid()
  const items = [
    { label: 'Tea', priceUsd: 1, qty: 2 },
    { label: 'Milk', priceUsd: 0.5 },
  ]
  expect((await refund({ receiptId, items })).status).toBe(200)
  expect((await context.detail(receiptId)).refunds[0].items).toEqual(items)
  expectError(await refund({ receiptId, items: [{ priceUsd: 1 }] }), 400, 'invalid_input')
})

row(
  'post-receipts-refund.txHash',
  'is stored, can be used for only one refund, and counts once it is on the chain',
  async () => {
    const receiptId = await paid()
    expect((await refund({ receiptId, usd: 3.5, txHash })).status).toBe(200)
    const detail = await context.detail(receiptId)
    expect(detail.refunds[0]).toMatchObject({ txHash, mark: null, isCounted: false })
    expect(detail.status).toBe('paid')
    expectError(await refund({ receiptId: await paid(), txHash }), 409, 'idempotency_conflict')
    expectError(await refund({ receiptId, txHash: '0x1' }), 400, 'invalid_input')
  },
)

row('post-receipts-refund.200', 'logs the refund in the timeline; a full refund sets refunded', async () => {
  const receiptId = await paid()
  const first = await refund({ receiptId, usd: 1.5 })
  expect([first.status, first.body]).toEqual([200, { ok: true }])
  const partly = await context.detail(receiptId)
  expect([partly.status, partly.timeline.at(-1).kind]).toEqual(['paid', 'refund_logged'])
  expect((await refund({ receiptId, usd: 2 })).status).toBe(200)
  const after = await context.detail(receiptId)
  expect([after.status, after.refunds.length]).toEqual(['refunded', 2])
})

row('post-receipts-refund.refusals', 'returns 401, 403, 429 and 500, and 403 for keys', async () => {
  const body = { receiptId: 'never-made', wallet: context.merchant.wallet, buyer, usd: 1 }
  const endpoint = { method: 'POST', path: '/api/receipts/refund', body, table: 'receipt' }
  await expectSessionErrors(context, endpoint, 'developer')
})

row('post-receipts-refund.x-correlation-id', 'is in the response', async () => {
  const response = await refund({ receiptId: await paid() })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-correlation-id')).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
})
