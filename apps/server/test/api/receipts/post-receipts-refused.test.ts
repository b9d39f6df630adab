import { describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { euroBody, readReceipt, receiptBody } from '../../support/api/receipts.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())

let count = 0
const legacy = (more: object = {}) => receiptBody(`order-${++count}`, 3.5, more)
const native = (more: object = {}) => euroBody(`order-${++count}`, 3.5, more)
const post = (body: unknown, key = merchant.key) => api.call('POST', '/api/receipts', { key, body })
const read = (id: string) => readReceipt(api, merchant, id)

/** Line items with huge prices that cancel each other out, so that the total is small. */
const vast = (qty: number) => ({
  lineItems: [
    { label: 'Up', priceUsd: 1e9, qty },
    { label: 'Down', priceUsd: -1e9, qty },
    { label: 'Coffee', priceUsd: 1, qty: 2 },
  ],
  totalUsd: 2,
})

test.each<[object, [path: string, message: string][]]>([
  [
    { id: 'a b' },
    [
      [
        'id',
        'must be 1 to 128 visible characters without spaces, and none of status refund terminal summary export . ..',
      ],
    ],
  ],
  [{ id: '' }, [['id', 'must not be empty']]],
  [
    { id: undefined, lineItems: undefined },
    [
      ['id', 'is required'],
      ['lineItems', 'is required'],
    ],
  ],
  [{ lineItems: [{ priceUsd: 3.5 }] }, [['lineItems/0/label', 'is required']]],
  [{ lineItems: [{ label: 'a' }] }, [['lineItems/0/priceUsd', 'must be a number']]],
  [
    { lineItems: [{ label: 'a', priceUsd: '1', qty: 0 }] },
    [
      ['lineItems/0/priceUsd', 'must be a number'],
      ['lineItems/0/qty', 'must be greater than 0'],
    ],
  ],
  [{ lineItems: [] }, [['lineItems', 'must not be empty']]],
  [{ totalUsd: -1 }, [['totalUsd', 'must equal the sum of the lines, 3.5']]],
  [
    { expiresAt: 1.5, metadata: [] },
    [
      ['metadata', 'must be an object'],
      ['expiresAt', 'must be a whole number'],
    ],
  ],
])('what is wrong in %j is said once, where it is', async (more, issues) => {
  const { body } = await post(legacy(more))
  expect(body.issues.map(({ path, message }: { path: string; message: string }) => [path, message])).toEqual(
    issues,
  )
})

describe('400', () => {
  const labelled = (line: object) => ({ label: 'a', ...line })
  const cases: [string, unknown][] = [
    ['no id', { lineItems: [{ label: 'a', priceUsd: 1 }], totalUsd: 1 }],
    ['an id with a blank', legacy({ id: 'a b' })],
    ['an id that is a word of the API', legacy({ id: 'status' })],
    ['an id of the form Sluice makes', legacy({ id: `R-${'0'.repeat(26)}` })],
    ['an id that is a number', legacy({ id: 7 })],
    ['no lines', legacy({ lineItems: [] })],
    ['501 lines', legacy({ lineItems: Array(501).fill({ label: 'a', priceUsd: 1 }), totalUsd: 501 })],
    ['a line without a label', legacy({ lineItems: [{ priceUsd: 3.5 }] })],
    ['a label of 201 signs', legacy({ lineItems: [{ label: 'x'.repeat(201), priceUsd: 3.5 }] })],
    ['a price that is a text', legacy({ lineItems: [{ label: 'a', priceUsd: '3.5' }] })],
    ['a price that is null', legacy({ lineItems: [{ label: 'a', priceUsd: null }] })],
    ['a legacy receipt without a total', { id: 'x1', lineItems: [{ label: 'a', priceUsd: 1 }] }],
    ['a total that does not add up', legacy({ totalUsd: 3.51 })],
    ['a total of zero', legacy({ lineItems: [{ label: 'a', priceUsd: 0 }], totalUsd: 0 })],
    ['a total below zero', legacy({ lineItems: [{ label: 'a', priceUsd: -1 }], totalUsd: -1 })],
    ['a quantity of zero', legacy({ lineItems: [{ label: 'a', priceUsd: 3.5, qty: 0 }] })],
    ['both formats in one line', legacy({ lineItems: [{ label: 'a', priceUsd: 3.5, amount: 3.5 }] })],
    ['formats mixed over lines', legacy({ lineItems: [{ priceUsd: 3.5 }, { amount: 1 }].map(labelled) })],
    ['totalUsd with native amounts', native({ totalUsd: 3.5 })],
    ['total with legacy prices', legacy({ total: 3.5 })],
    ['a currency that is not taken', native({ currency: 'GBP' })],
    ['legacy prices in EUR', legacy({ currency: 'EUR' })],
    ['a native amount of three decimals', native({ lineItems: [{ label: 'a', amount: 1.005 }] })],
    ['a native total that does not add up', native({ total: 3.51 })],
    ['an amount above the limit', native({ lineItems: [{ label: 'a', amount: 1_000_000_000.01 }] })],
    ['an amount no double can keep', `{"id":"x2","lineItems":[{"label":"a","amount":10.0000000000000001}]}`],
    ['an amount beyond all doubles', `{"id":"x3","lineItems":[{"label":"a","amount":1e400}]}`],
    ['a line whose price times its quantity is above the limit', legacy(vast(1e9))],
    ['a line whose price times its quantity is a little above it', legacy(vast(1.000001))],
    ['aliases that differ', legacy({ redirect_url: 'https://a.example', redirectUrl: 'https://b.example' })],
    ['billing aliases that differ', legacy({ billingEmail: 'a@b.example', customerEmail: 'b@b.example' })],
    ['a redirect that is no URL', legacy({ redirect_url: 'nowhere' })],
    ['a redirect that is a script', legacy({ returnUrl: 'javascript:alert(1)' })],
    ['a redirect with credentials', legacy({ redirect_url: 'https://user:pass@shop.example' })],
    ['a webhook that is no URL', legacy({ webhook_url: 'ftp://shop.example' })],
    ['metadata that is a list', legacy({ metadata: [1] })],
    ['metadata above 8 KiB', legacy({ metadata: { a: 'x'.repeat(9000) } })],
    ['a reference of 256 signs', legacy({ transactionId: 'x'.repeat(256) })],
    ['an expiry in the past', legacy({ expiresAt: 1 })],
    ['an expiry after the last date there is', legacy({ expiresAt: 1e308 })],
    ['an expiry that is a text', legacy({ expiresAt: '2030-01-01' })],
    ['a jurisdiction of another form', legacy({ jurisdictionCode: 'California' })],
    ['a tax rate above one', legacy({ taxRate: 9.5 })],
    ['a NUL in a label', legacy({ lineItems: [{ label: 'a\u0000b', priceUsd: 3.5 }] })],
    [
      'a lone surrogate in a label',
      '{"id":"x4","lineItems":[{"label":"\\ud800","priceUsd":1}],"totalUsd":1}',
    ],
    ['a body that is a list', []],
    ['a body that is null', 'null'],
    ['a body that is no JSON', '{"id":'],
    ['a body nested 33 deep', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['no body', undefined],
  ]
  test.each(cases)('%s is invalid_input and stores nothing', async (_name, body) => {
    const listed = () => api.call('GET', '/api/receipts?limit=200', { key: merchant.key })
    const before = await listed()
    const response = await post(body)
    expectApiError(response, 400, 'invalid_input')
    expect(response.body.message).toEqual(expect.any(String))
    expect(response.body.issues.length).toBeGreaterThan(0)
    expect((await listed()).body.receipts.length).toBe(before.body.receipts.length)
  })

  test('every fault of a body is named at once', async () => {
    const response = await post(legacy({ id: 'a b', redirect_url: 'nowhere', totalUsd: 9 }))
    const paths = response.body.issues.map((issue: { path: string }) => issue.path)
    expect(paths).toEqual(['id', 'totalUsd', 'redirect_url'])
  })

  test('content that has expired does not take the place of a receipt', async () => {
    const kept = legacy()
    await post(kept)
    const expired = { ...kept, expiresAt: api.clock.now() }
    expectApiError(await post(expired), 400, 'invalid_input')
    expect((await read(kept.id)).timeline).toHaveLength(1)
    const taken = native()
    await post(taken)
    expectApiError(await post({ ...taken, expiresAt: 1 }), 409, 'receipt_exists')
  })

  test('another content type is refused', async () => {
    const form = { body: 'id=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const response = await api.call('POST', '/api/receipts', { key: merchant.key, ...form })
    expectApiError(response, 400, 'invalid_input')
  })

  test('a body above 256 KiB is refused', async () => {
    expectApiError(await post(legacy({ metadata: { a: 'x'.repeat(300_000) } })), 400, 'invalid_input')
  })
})

describe('401 and 403', () => {
  test('no key, a mistyped key and an unknown key are unauthorized', async () => {
    const unknown = `${merchant.key.slice(0, -8)}00000000`
    for (const key of [undefined, 'sk_test_short', unknown]) {
      const response = await api.call('POST', '/api/receipts', { body: legacy(), key })
      expectApiError(response, 401, 'unauthorized')
    }
  })

  test('x-api-key is the same key, and two keys that differ are refused', async () => {
    const headers = { 'x-api-key': merchant.key }
    expect((await api.call('POST', '/api/receipts', { body: legacy(), headers })).status).toBe(201)
    const both = { key: merchant.secondaryKey, headers }
    expect((await api.call('POST', '/api/receipts', { body: legacy(), ...both })).status).toBe(401)
  })

  test('a wallet header has no effect beside a key, and is forbidden in its place', async () => {
    const other = await api.addMerchant()
    const headers = { 'x-wallet': other.wallet, wallet: other.wallet }
    const body = legacy()
    expect((await api.call('POST', '/api/receipts', { key: merchant.key, body, headers })).status).toBe(201)
    expect((await read(body.id)).receiptId).toBe(body.id)
    expectApiError(await api.call('POST', '/api/receipts', { body: legacy(), headers }), 403, 'forbidden')
  })

  test('a subscription without the scope is forbidden', async () => {
    const reader = await api.addMerchant({ scopes: ['receipts:read'] })
    expectApiError(await post(legacy(), reader.key), 403, 'forbidden')
  })
})

describe('409', () => {
  test('an unpaid native receipt is not replaced', async () => {
    const body = native()
    await post(body)
    expectApiError(await post({ ...body, lineItems: [{ label: 'Tea', amount: 2 }] }), 409, 'receipt_exists')
    expect((await read(body.id)).total).toBe(3.5)
  })
})

describe('503', () => {
  const bare = perFile(() => startApi({ rates: [] }))
  test('without an exchange rate no EUR receipt is made', async () => {
    const owner = await bare.addMerchant()
    const body = native({ id: 'no-rate' })
    const response = await bare.call('POST', '/api/receipts', { key: owner.key, body })
    expectApiError(response, 503, 'exchange_rate_unavailable')
    expect((await bare.call('GET', '/api/receipts/no-rate', { key: owner.key })).status).toBe(404)
  })
})
