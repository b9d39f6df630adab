import { beforeAll, expect } from 'vitest'
import { callApi } from '../support/api/call-api.ts'
import { row } from '../support/api/contract.ts'
import { expectError } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { startApi } from '../support/api/start-api.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)
beforeAll(() => context.addSplit(context.merchant.wallet))
/** The same API with a tenth of the limits: 30 reads and 10 writes per minute. */
const limited = perFile(() => startApi({ beside: context, rateLimitScale: 0.1 }))

const read = (key: string, headers: Record<string, string> = {}) =>
  callApi(limited.url, 'GET', '/api/receipts', { key, headers })
const header = async (key: string, name: string) => Number((await read(key)).headers.get(name))

row('limit.stockQty', 'is at least -1', async () => {
  const put = (stockQty: number) =>
    context.post('/api/inventory', { sku: 'tea', name: 'Tea', priceUsd: 3, stockQty })
  expect((await put(-1)).body.item.stockQty).toBe(-1)
  expectError(await put(-2), 400, 'invalid_input')
})

row('limit.native-amounts', 'are finite, with at most two decimals', async () => {
  const send = (amount: string) =>
    context.post('/api/receipts', `{"id":"n${amount}","lineItems":[{"label":"Tea","amount":${amount}}]}`)
  expect((await send('0.01')).status).toBe(201)
  for (const amount of ['0.001', '1e999', 'NaN', '1e-3'])
    expectError(await send(amount), 400, 'invalid_input', amount)
})

row('limit.order-sizes', 'fail the receipt with the category limits', async () => {
  for (const [id, usd] of Object.entries({ small: 0.99, large: 10_000.01 })) {
    await context.newReceipt(receiptBody(id, usd))
    await context.ask(id)
    expect(await context.status(id)).toMatchObject({ status: 'failed', failureCategory: 'limits' })
  }
})

row('rate-limit.subject', 'is per subscription: each subscription has its own limit', async () => {
  const [one, other] = [await context.addMerchant(), await context.addMerchant()]
  for (let i = 0; i < 30; i++) expect((await read(one.key)).status).toBe(200)
  expectError(await read(one.key), 429, 'rate_limited')
  expectError(await read(one.secondaryKey), 429, 'rate_limited')
  expect((await read(other.key)).status).toBe(200)
})

row('rate-limit.X-RateLimit-Limit', 'is the number of allowed requests', async () => {
  const { key } = await context.addMerchant()
  expect(await header(key, 'x-ratelimit-limit')).toBe(30)
})

row('rate-limit.X-RateLimit-Remaining', 'decreases with each request', async () => {
  const { key } = await context.addMerchant()
  expect(await header(key, 'x-ratelimit-remaining')).toBe(29)
  expect(await header(key, 'x-ratelimit-remaining')).toBe(28)
})

row(
  'rate-limit.X-RateLimit-Reset',
  'is the time at which all requests are available again, in Unix milliseconds',
  async () => {
    const { key } = await context.addMerchant()
    expect(await header(key, 'x-ratelimit-reset')).toBe(context.clock.now() + 2_000)
  },
)

row('rate-limit.resetAt', 'is the earliest time at which the next request is accepted', async () => {
  const { key } = await context.addMerchant()
  for (let i = 0; i < 30; i++) await read(key)
  const { body } = await read(key)
  expect(body.resetAt).toBe(context.clock.now() + 2_000)
  await context.clock.advance(1_999)
  expect((await read(key)).status).toBe(429)
  await context.clock.advance(1)
  expect((await read(key)).status).toBe(200)
})

row('version.prefix', 'is /api/ without a version', async () => {
  for (const { path } of context.routes) expect(path).toMatch(/^\/api\/(?!v\d)/)
  expectError(await context.get('/api/v1/receipts'), 404, 'not_found')
  expectError(await context.get('/receipts'), 404, 'not_found')
})

row('edge.uncached', 'every response under /api has Cache-Control: no-store', async () => {
  for (const path of ['receipts', 'inventory', 'site/config', 'receipts/none', 'nothing'])
    expect((await context.get(`/api/${path}`)).headers.get('cache-control'), path).toBe('no-store')
})

row('limit.receipts', 'is 100 by default and at most 200', async () => {
  const { key } = await context.addMerchant()
  const make = (i: number) => context.post('/api/receipts', receiptBody(`r${i}`), { key })
  for (let i = 0; i < 201; i += 20)
    await Promise.all(Array.from({ length: Math.min(20, 201 - i) }, (_, j) => make(i + j)))
  const list = (query: string) => context.get(`/api/receipts${query}`, { key })
  const count = async (query: string) => (await list(query)).body.receipts.length
  expect([await count(''), await count('?limit=1'), await count('?limit=200')]).toEqual([100, 1, 200])
  for (const limit of ['0', '201']) expectError(await list(`?limit=${limit}`), 400, 'invalid_input')
})
