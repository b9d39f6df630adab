import { noFailure } from '@sluice/protocol/failures.ts'
import { beforeAll, expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError, expectKeyErrors } from '../support/api/expect-errors.ts'
import { startMerchantApi, tooSmall } from '../support/api/merchant-api.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { startDegradedService } from '../support/kill/degraded-api.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)
beforeAll(() => context.addSplit(context.merchant.wallet))
const degraded = perFile(() => startDegradedService({ beside: context }))

const status = (id: string, key = context.merchant.key) =>
  context.get(`/api/receipts/status?receiptId=${id}`, { key })
const unpaid = { currency: 'USD', transactionHash: null }
const ids = (body: { receipts: { receiptId: string }[] }) => body.receipts.map(({ receiptId }) => receiptId)

row('get-receipts.receipts', "contains only the merchant's own receipts, newest first", async () => {
  const { key } = await context.addMerchant({ name: 'Lean-to' })
  const newest: string[] = []
  for (const id of ['a', 'b', 'c']) {
    await context.clock.advance(1)
    const body = receiptBody(id, 3.5, { lineItems: [{ label: 'Tea', priceUsd: 3.5, qty: 1 }] })
    expect((await context.post('/api/receipts', body, { key })).status).toBe(201)
    newest.unshift(id)
  }
  await context.newReceipt()
  const response = await context.get('/api/receipts', { key })
  expect([response.status, ids(response.body)]).toEqual([200, newest])
  expect(response.body.receipts[0]).toEqual({
    receiptId: 'c',
    totalUsd: 3.5,
    currency: 'USD',
    lineItems: [{ label: 'Tea', priceUsd: 3.5, qty: 1 }],
    createdAt: context.clock.now(),
    brandName: 'Lean-to',
    status: 'pending',
    displayStatus: 'pending',
  })
})

row(
  'get-receipts.limit',
  'sets the page size and rejects values other than integers from 1 to 200',
  async () => {
    await context.newReceipt()
    await context.newReceipt()
    for (const limit of ['1', '2']) {
      const { body } = await context.get(`/api/receipts?limit=${limit}`)
      expect(body.receipts).toHaveLength(Number(limit))
    }
    expect((await context.get('/api/receipts?limit=200')).status).toBe(200)
    for (const limit of ['0', '201', '-1', '1.5', '1e2', '', 'all', '1&limit=2'])
      expectError(await context.get(`/api/receipts?limit=${limit}`), 400, 'invalid_input', limit)
  },
)

row(
  'get-receipts.degraded',
  'returns the last known list, with the degraded flag and the reason',
  async () => {
    const body = receiptBody('before')
    expect((await degraded.call('POST', '/api/receipts', { body })).status).toBe(201)
    const before = await degraded.call('GET', '/api/receipts')
    expect(ids(before.body)).toEqual(['before'])
    degraded.datastore.isAway = true
    const response = await degraded.call('GET', '/api/receipts')
    degraded.datastore.isAway = false
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ ...before.body, degraded: true, reason: 'datastore_unavailable' })
    expect(before.body).not.toHaveProperty('degraded')
  },
)

row('get-receipts.refusals', 'returns 401, 403, 429 and 500, each with its error code', () =>
  expectKeyErrors(context, { method: 'GET', path: '/api/receipts', table: 'receipt' }, 'receipts:read'),
)

row('get-receipt.id', "identifies one of the merchant's receipts", async () => {
  const [one, other] = [await context.newReceipt({ id: 'A~1' }), await context.newReceipt({ id: 'A~2' })]
  expect((await context.get(`/api/receipts/${one}`)).body.receiptId).toBe(one)
  expect((await context.get(`/api/receipts/${encodeURIComponent(other)}`)).body.receiptId).toBe(other)
})

row('get-receipt.detail', 'contains the fields of the list item and those of the detail view', async () => {
  const id = await context.newReceipt({ metadata: { order: 1 }, transactionId: 'T-1', taxRate: 0.1 })
  const response = await context.get(`/api/receipts/${id}`)
  expect(response.status).toBe(200)
  const item = (await context.get('/api/receipts')).body.receipts.find(
    (each: { receiptId: string }) => each.receiptId === id,
  )
  expect(response.body).toMatchObject({
    ...item,
    jurisdictionCode: null,
    taxRate: 0.1,
    taxComponents: [],
    transactionHash: null,
    transactionTimestamp: null,
    billingAddress: null,
    customerTotalUsd: 3.5,
    payment: { state: 'none', due: 0, received: 0, finality: 'none' },
    refunds: [],
    split: { version: 1 },
    metadata: { order: 1 },
    transactionId: 'T-1',
    expiresAt: null,
  })
})

row('get-receipt.404', "is the same for an unknown id and for another merchant's receipt", async () => {
  const id = await context.newReceipt()
  const stranger = await context.addMerchant()
  for (const response of [
    await context.get('/api/receipts/never-made'),
    await context.get(`/api/receipts/${id}`, { key: stranger.key }),
  ]) {
    expect(response.status).toBe(404)
    expect(response.body).toEqual({ error: 'not_found', message: 'Receipt not found' })
  }
})

row('get-receipt.refusals', 'returns 401, 403, 429 and 500, each with its error code', () =>
  expectKeyErrors(context, { method: 'GET', path: '/api/receipts/some', table: 'receipt' }, 'receipts:read'),
)

row('get-receipts-status.receiptId', 'is required and identifies the receipt', async () => {
  const id = await context.newReceipt()
  expect((await status(id)).body.id).toBe(id)
  for (const path of ['/api/receipts/status', '/api/receipts/status?receiptId='])
    expectError(await context.get(path), 400, 'missing_receipt_id')
  const twice = await context.get(`/api/receipts/status?receiptId=${id}&receiptId=${id}`)
  expectError(twice, 400, 'invalid_input')
})

row(
  'get-receipts-status.answer',
  "contains the receipt's own amount and currency and no failure while unpaid",
  async () => {
    const id = await context.newReceipt()
    const response = await status(id)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ id, status: 'pending', ...unpaid, amount: 3.5, ...noFailure })
  },
)

row('get-receipts-status.failed', 'contains the six failure fields and a null hash', async () => {
  const id = await context.newFailedReceipt()
  expect((await status(id)).body).toEqual({ id, status: 'failed', ...unpaid, amount: 0.99, ...tooSmall })
})

row(
  'get-receipts-status.404',
  "is returned for an unknown receipt and for another merchant's receipt",
  async () => {
    const id = await context.newReceipt()
    expectError(await status('never-made'), 404, 'not_found')
    expectError(await status(id, (await context.addMerchant()).key), 404, 'not_found')
  },
)

row('get-receipts-status.refusals', 'returns 401, 403, 429 and 500, each with its error code', () =>
  expectKeyErrors(
    context,
    { method: 'GET', path: '/api/receipts/status?receiptId=some', table: 'receipt' },
    'receipts:read',
  ),
)
