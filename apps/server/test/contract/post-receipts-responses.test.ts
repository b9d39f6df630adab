import { expect } from 'vitest'
import type { ApiResponse } from '../support/api/call-api.ts'
import { row } from '../support/api/contract.ts'
import { expectError, expectKeyErrors } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { scriptedRates } from '../support/api/scripted-rates.ts'
import { perFile } from '../support/per-file.ts'

const euro = scriptedRates({ EUR: 1.08 }, () => context.clock.now())
const context = perFile(() => startMerchantApi({ rates: [euro] }))
let count = 0

const valid = (fields: object = {}) => receiptBody(`answer-${++count}`, 3.5, fields)
const native = (amount: unknown, fields: object = {}) =>
  valid({ lineItems: [{ label: 'Tea', amount }], totalUsd: undefined, ...fields })
const post = (body: unknown) => context.post('/api/receipts', body)
const paths = ({ body }: ApiResponse) => body.issues.map((issue: { path: string }) => issue.path)

async function refuses(path: string, ...bodies: { id: string }[]): Promise<void> {
  for (const body of bodies) {
    const response = await post(body)
    expectError(response, 400, 'invalid_input', JSON.stringify(body))
    expect(paths(response)).toContain(path)
    expect((await context.get(`/api/receipts/${body.id}`)).status).toBe(404)
  }
}

row('post-receipts.201-id', 'is the id that was sent', async () => {
  const body = valid()
  const response = await post(body)
  expect([response.status, response.body.id]).toEqual([201, body.id])
})

row(
  'post-receipts.201-paymentUrl',
  'links to the portal with the recipient and the encoded redirect_url',
  async () => {
    const redirect_url = 'https://shop.example.com/back?a=1&b=é'
    const { body } = await post(valid({ id: 'url~1', redirect_url }))
    const { wallet } = context.merchant
    expect(body.paymentUrl).toBe(
      `https://pay.example.com/portal/url~1?recipient=${wallet}&redirect_url=https%3A%2F%2Fshop.example.com%2Fback%3Fa%3D1%26b%3D%C3%A9`,
    )
    const plain = await post(valid({ id: 'url~2' }))
    expect(plain.body.paymentUrl).toBe(`https://pay.example.com/portal/url~2?recipient=${wallet}`)
  },
)

row('post-receipts.201-status', 'is pending', async () => {
  expect((await post(valid())).body.status).toBe('pending')
})

row('post-receipts.201-redirectUrl', 'is the redirect_url that was sent, or null', async () => {
  const url = 'https://shop.example.com/back'
  expect((await post(valid({ redirect_url: url }))).body.redirectUrl).toBe(url)
  expect((await post(valid())).body.redirectUrl).toBeNull()
})

row('post-receipts.201-webhookUrl', 'is the webhook_url that was sent, or null', async () => {
  const url = 'https://shop.example.com/hook'
  expect((await post(valid({ webhook_url: url }))).body.webhookUrl).toBe(url)
  expect((await post(valid())).body.webhookUrl).toBeNull()
})

row('post-receipts.400-invalid_input', 'names each field that is missing or has the wrong type', async () => {
  const { id, ...rest } = valid()
  const untyped = [{ ...rest, id: 7 }, { ...rest, id, totalUsd: '3.5' }, [], 'text', null, '{']
  for (const body of [rest, { id }, ...untyped])
    expectError(await post(body), 400, 'invalid_input', JSON.stringify(body))
  const response = await post(valid({ lineItems: [{ label: 'Tea', priceUsd: null }], onSuccess: false }))
  expect(response.body.issues.length).toBeGreaterThan(1)
  expect((await context.get(`/api/receipts/${id}`)).status).toBe(404)
})

row('post-receipts.400-currency', 'is returned for any currency other than USD and EUR', () =>
  refuses('currency', ...['GBP', 'BTC', 'US', ''].map((currency) => native(3.5, { currency }))),
)

row('post-receipts.400-mixed', 'is returned for native and USD fields in one request', () =>
  refuses(
    'lineItems',
    native(3.5, { totalUsd: 3.5 }),
    valid({ total: 3.5 }),
    valid({ lineItems: [{ label: 'Tea', priceUsd: 3.5, amount: 3.5 }] }),
    valid({
      lineItems: [
        { label: 'Tea', priceUsd: 2 },
        { label: 'Tea', amount: 1.5 },
      ],
    }),
  ),
)

row('post-receipts.400-non-finite', 'is returned for numbers that cannot be an amount', async () => {
  for (const number of ['1e400', '-1e400', 'NaN', 'Infinity', '1e10']) {
    const id = `answer-${++count}`
    const response = await post(`{"id":"${id}","lineItems":[{"label":"Tea","amount":${number}}]}`)
    expectError(response, 400, 'invalid_input', number)
    expect((await context.get(`/api/receipts/${id}`)).status).toBe(404)
  }
})

row('post-receipts.400-decimals', 'is returned for native amounts with fractions of a cent', async () => {
  await refuses('lineItems/0/amount', native(3.501), native(0.001, { currency: 'EUR' }))
  await refuses('total', native(3.5, { total: 3.5001 }))
  expect((await post(native(3.51))).status).toBe(201)
})

row('post-receipts.400-total', 'is returned for a total that differs from the sum of the lines', async () => {
  await refuses('total', native(3.5, { total: 3.51 }), native(-1))
  await refuses('totalUsd', valid({ totalUsd: 3.51 }), receiptBody(`answer-${++count}`, 0))
})

row(
  'post-receipts.409',
  'leaves an unpaid native receipt unchanged; an identical repeat gets the first response',
  async () => {
    const body = native(3.5)
    const first = await post(body)
    const response = await post({ ...native(4), id: body.id })
    expectError(response, 409, 'receipt_exists')
    expect((await context.detail(body.id)).total).toBe(3.5)
    expect((await post(body)).text).toBe(first.text)
    const legacy = valid()
    await post(legacy)
    expect((await post(receiptBody(legacy.id, 4))).status).toBe(201)
    expect((await context.detail(legacy.id)).totalUsd).toBe(4)
  },
)

row('post-receipts.503', 'is returned if there is no exchange rate, and no receipt is created', async () => {
  euro.usd.EUR = undefined
  await context.clock.advance(72 * 3_600_000)
  const body = native(3.5, { currency: 'EUR' })
  const response = await post(body)
  expectError(response, 503, 'exchange_rate_unavailable')
  expect((await context.get(`/api/receipts/${body.id}`)).status).toBe(404)
  euro.usd.EUR = 1.08
  await context.clock.advance(60_000)
  expect((await post(body)).status).toBe(201)
})

row('post-receipts.refusals', 'returns 401, 403, 429 and 500, each with its error code', () =>
  expectKeyErrors(
    context,
    { method: 'POST', path: '/api/receipts', body: valid(), table: 'receipt' },
    'receipts:write',
  ),
)
