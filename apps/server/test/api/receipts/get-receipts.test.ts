import { describe, expect, test } from 'vitest'
import { type Database, Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { followPages } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { makeReceipt, receiptBody } from '../../support/api/receipts.ts'
import { startApi } from '../../support/api/start-api.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant({ name: 'Blue Door' }))

const make = async (id: string, more: object = {}, by = merchant) => {
  await api.clock.advance(1)
  await makeReceipt(api, by, receiptBody(id, 3.5, more))
}
const get = (path: string, key: string | undefined = merchant.key) => api.call('GET', path, { key })

describe('GET /api/receipts', () => {
  test('a merchant without receipts gets an empty list', async () => {
    const fresh = await api.addMerchant()
    expect((await get('/api/receipts', fresh.key)).body).toEqual({ receipts: [], nextCursor: null })
  })

  test('receipts come newest first, without the fields of the detail view', async () => {
    const fresh = await api.addMerchant({ name: 'Blue Door' })
    for (const id of ['a', 'b', 'c']) await make(id, {}, fresh)
    const { body } = await get('/api/receipts', fresh.key)
    expect(body.receipts.map((receipt: { receiptId: string }) => receipt.receiptId)).toEqual(['c', 'b', 'a'])
    expect(body.receipts[0]).toEqual({
      receiptId: 'c',
      totalUsd: 3.5,
      currency: 'USD',
      lineItems: [{ label: 'Coffee', priceUsd: 3.5 }],
      createdAt: api.clock.now(),
      brandName: 'Blue Door',
      status: 'pending',
      displayStatus: 'pending',
    })
  })

  test('the cursor walks the whole list without a gap or a repeat', async () => {
    const fresh = await api.addMerchant()
    const ids = Array.from({ length: 7 }, (_, i) => `r${i}`)
    for (const id of ids) await make(id, {}, fresh)
    const pages = await followPages((more) => get(`/api/receipts?limit=3${more}`, fresh.key))
    const seen = pages.flatMap(({ receipts }) =>
      receipts.map((each: { receiptId: string }) => each.receiptId),
    )
    expect(seen).toEqual(ids.toReversed())
  })

  const noLimits = ['0', '201', '-1', '1.5', '', '1e2', '%31%00', '1&limit=2'].map((text) => `limit=${text}`)
  // `MToA` decodes to `1:\0`.
  const noCursors = ['cursor=nonsense', 'cursor=MToA']
  test.each([...noLimits, ...noCursors])('%s is invalid_input', async (query) => {
    expectApiError(await get(`/api/receipts?${query}`), 400, 'invalid_input')
  })

  test.each(['limit=1', 'limit=200', 'limit=0100'])('%s is taken', async (query) => {
    expect((await get(`/api/receipts?${query}`)).status).toBe(200)
  })

  test('a key without receipts:read is forbidden', async () => {
    const writer = await api.addMerchant({ scopes: ['receipts:write'] })
    for (const path of ['/api/receipts', '/api/receipts/x', '/api/receipts/status?receiptId=x']) {
      expect((await get(path, writer.key)).status).toBe(403)
    }
  })
})

describe('GET /api/receipts/{id}', () => {
  test('the detail view of an unpaid receipt has every field of the contract', async () => {
    const taxed = { jurisdictionCode: 'us-ca', taxRate: 0.095, taxComponents: ['state'] }
    await make('detail', { ...taxed, billingFirstName: 'Ada' })
    const { body } = await get('/api/receipts/detail')
    expect(body).toMatchObject({
      receiptId: 'detail',
      ...taxed,
      jurisdictionCode: 'US-CA',
      transactionHash: null,
      transactionTimestamp: null,
      billingAddress: { firstName: 'Ada', lastName: '' },
      customerTotalUsd: 3.5,
      payment: { state: 'none', confirmations: 0, finality: 'none', dueRaw: '0' },
      timeline: [{ kind: 'created', fromStatus: null, toStatus: 'pending' }],
      refunds: [],
      split: null,
      metadata: null,
      transactionId: null,
      expiresAt: null,
    })
  })

  test("another merchant's receipt answers exactly as one that does not exist", async () => {
    await make('mine')
    const other = await api.addMerchant()
    const foreign = await get('/api/receipts/mine', other.key)
    const absent = await get('/api/receipts/absent', other.key)
    expect(foreign.body).toEqual({ error: 'not_found', message: 'Receipt not found' })
    expect(foreign.text).toBe(absent.text)
    expect(foreign.status).toBe(404)
  })

  const oddIds = ['%00', '%ED%A0%80', 'a%2Fb', '..%2f..', 'x'.repeat(300), "'--", '%F0%9F%92%A9']
  test.each(oddIds)('the path %s is answered without a fault of ours', async (path) => {
    const response = await get(`/api/receipts/${path}`)
    expect([400, 404]).toContain(response.status)
  })
})

describe('GET /api/receipts/status', () => {
  test('an unpaid receipt shows its own money and no failure', async () => {
    await make('status-1')
    expect((await get('/api/receipts/status?receiptId=status-1')).body).toEqual({
      id: 'status-1',
      status: 'pending',
      currency: 'USD',
      amount: 3.5,
      transactionHash: null,
      failureCode: null,
      failureCategory: null,
      failureReason: null,
      failureAction: null,
      providerErrorCode: null,
      providerRequestId: null,
    })
  })

  test('without an id it says missing_receipt_id, with an unknown one not_found', async () => {
    expect((await get('/api/receipts/status')).body.error).toBe('missing_receipt_id')
    expect((await get('/api/receipts/status?receiptId=')).body.error).toBe('missing_receipt_id')
    expect((await get('/api/receipts/status?receiptId=absent')).status).toBe(404)
  })

  test("another merchant's receipt is not found", async () => {
    await make('status-2')
    const other = await api.addMerchant()
    expect((await get('/api/receipts/status?receiptId=status-2', other.key)).status).toBe(404)
  })
})

describe('everywhere', () => {
  test('an answer carries the correlation id of its request, or a new one, and is not stored', async () => {
    const headers = { 'x-correlation-id': 'abc-1' }
    const own = await api.call('GET', '/api/receipts', { key: merchant.key, headers })
    expect(own.headers.get('x-correlation-id')).toBe('abc-1')
    expect(own.headers.get('cache-control')).toBe('no-store')
    const bad = await api.call('GET', '/api/receipts', { headers: { 'x-correlation-id': 'a b' } })
    expect(bad.headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(bad.status).toBe(401)
  })

  test('an unknown path or method under /api is not_found as JSON', async () => {
    for (const [method, path] of [
      ['GET', '/api/nothing'],
      ['PUT', '/api/receipts'],
      ['DELETE', '/api/receipts/x'],
    ] as const) {
      expectApiError(await api.call(method, path, { key: merchant.key }), 404, 'not_found')
    }
  })

  test('the probe needs no key', async () => {
    const response = await api.call('GET', '/healthz')
    expect([response.status, response.body]).toEqual([200, { status: 'ok' }])
  })

  test('a datastore that cannot be reached is 503, and the probe still answers', async () => {
    const log = makeLog('silent')
    const away = new Pool({ url: 'postgres://nobody@127.0.0.1:1/none', log })
    let isAway = false
    const between = (db: Database) => wrapDatabase(db, (_, run) => run(isAway ? away : undefined))
    const { app, stop } = await startApi({ beside: api, between })
    isAway = true
    const headers = { 'ocp-apim-subscription-key': merchant.key }
    const response = await app.inject({ method: 'GET', url: '/api/receipts', headers })
    expect([response.statusCode, response.json().error]).toEqual([503, 'datastore_unavailable'])
    expect(response.headers['retry-after']).toBe('1')
    expect(response.body).not.toMatch(/postgres|127\.0|ECONN/i)
    expect((await app.inject({ url: '/healthz' })).statusCode).toBe(200)
    isAway = false
    await stop()
    await away.close()
  })
})
