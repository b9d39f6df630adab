import { expect, onTestFinished, test, vi } from 'vitest'
import {
  type CreateOrderRequest,
  type CreateReceiptRequest,
  type ResponseInfo,
  Sluice,
  type SluiceOptions,
} from './sluice.ts'

const baseUrl = 'https://pay.example.com'

function answering(responses: readonly (() => Response)[], options: SluiceOptions = {}) {
  const requests: Request[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    requests.push(new Request(url, init))
    const respond = responses[Math.min(requests.length, responses.length) - 1]
    if (!respond) throw new Error('no response')
    return respond()
  }
  return { sluice: new Sluice({ baseUrl, key: 'sk_test_1', fetch, ...options }), requests }
}

function environment(values: Readonly<Record<string, string>>) {
  for (const name of ['SLUICE_URL', 'SLUICE_KEY']) vi.stubEnv(name, values[name])
  onTestFinished(() => void vi.unstubAllEnvs())
}

test('the URL and the key come from the environment unless they are given', async () => {
  environment({ SLUICE_URL: 'https://env.example.com', SLUICE_KEY: 'sk_test_env' })
  const alive = [() => Response.json({ status: 'ok' })]
  const fromEnvironment = answering(alive, { baseUrl: undefined, key: undefined })
  await fromEnvironment.sluice.isAlive()
  expect(fromEnvironment.requests[0]?.url).toBe('https://env.example.com/healthz')
  expect(fromEnvironment.requests[0]?.headers.get('ocp-apim-subscription-key')).toBe('sk_test_env')
  const given = answering(alive)
  await given.sluice.isAlive()
  expect(given.requests[0]?.url).toBe(`${baseUrl}/healthz`)
  expect(given.requests[0]?.headers.get('ocp-apim-subscription-key')).toBe('sk_test_1')
})

test('a missing URL or key is a TypeError that names its variable, and only `key: null` sends none', async () => {
  environment({ SLUICE_KEY: ' ' })
  expect(() => new Sluice({ key: 'sk_test_1' })).toThrow(/^SLUICE_URL is not set/)
  expect(() => new Sluice({ baseUrl })).toThrow(/^SLUICE_KEY is not set/)
  expect(() => new Sluice({ baseUrl, key: undefined })).toThrow(TypeError)
  vi.stubEnv('SLUICE_KEY', 'sk_test_env')
  const { sluice, requests } = answering([() => Response.json({ status: 'ok' })], { key: null })
  await sluice.isAlive()
  expect(requests[0]?.headers.has('ocp-apim-subscription-key')).toBe(false)
})

const pages = [
  () => Response.json({ orders: [{ id: 'a' }, { id: 'b' }], nextCursor: 'p 1' }),
  () => Response.json({ orders: [], nextCursor: 'p2' }),
  () => Response.json({ orders: [{ id: 'c' }], nextCursor: null }),
]

test('a list that is awaited is its first page, which iterates over all entries', async () => {
  const { sluice, requests } = answering(pages)
  const page = await sluice.orders.list({ limit: 2 })
  expect(page.data.map(({ id }) => id)).toEqual(['a', 'b'])
  expect([page.nextCursor, page.body.orders.length, requests.length]).toEqual(['p 1', 2, 1])
  const ids: string[] = []
  for await (const { id } of page) ids.push(id)
  expect(ids).toEqual(['a', 'b', 'c'])
  const queries = requests.map(({ url }) => new URL(url).search)
  expect(queries).toEqual(['?limit=2', '?limit=2&cursor=p+1', '?limit=2&cursor=p2'])
})

test('a list that is iterated over requests no page before it is needed', async () => {
  const { sluice, requests } = answering(pages)
  for await (const { id } of sluice.orders.list({ cursor: 'p0' })) if (id === 'b') break
  expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?cursor=p0'])
})

test('a list whose request fails throws, awaited and iterated over alike', async () => {
  const missing = () => Response.json({ error: 'not_found', message: 'No' }, { status: 404 })
  const { sluice } = answering([missing])
  await expect(sluice.orders.list()).rejects.toMatchObject({ status: 404 })
  const iterated = sluice.orders.list()[Symbol.asyncIterator]().next()
  await expect(iterated).rejects.toMatchObject({ status: 404 })
})

const unavailable = () =>
  Response.json(
    { error: 'chain_unavailable', message: 'Later' },
    { status: 503, headers: { 'x-correlation-id': 'c1' } },
  )

test('onResponse gets status, headers and correlation id of each response, also of a failed one', async () => {
  const { sluice } = answering([
    unavailable,
    () => Response.json({ status: 'ok' }, { headers: { 'x-a': 'b' } }),
  ])
  const seen: ResponseInfo[] = []
  await sluice.isAlive({ retry: { backoffMs: 1 }, onResponse: (response) => void seen.push(response) })
  expect(seen.map(({ status, correlationId }) => [status, correlationId])).toEqual([
    [503, 'c1'],
    [200, undefined],
  ])
  expect(seen[1]?.headers.get('x-a')).toBe('b')
})

test('a call has its own retries', async () => {
  const { sluice, requests } = answering([unavailable], { retry: { count: 0 } })
  await expect(sluice.isAlive({ retry: { count: 2, backoffMs: 1 } })).rejects.toMatchObject({ status: 503 })
  expect(requests).toHaveLength(3)
  await expect(sluice.isAlive()).rejects.toMatchObject({ status: 503 })
  expect(requests).toHaveLength(4)
})

test('a deadline ends a call before a delay that would exceed it, and bounds each attempt', async () => {
  const { sluice, requests } = answering([unavailable], { retry: { backoffMs: 5_000 }, deadlineMs: 1_000 })
  await expect(sluice.isAlive()).rejects.toMatchObject({ status: 503 })
  expect(requests).toHaveLength(1)
  const hanging: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  const slow = new Sluice({ baseUrl, key: 'sk_test_1', fetch: hanging })
  await expect(slow.isAlive({ deadlineMs: 20 })).rejects.toMatchObject({ name: 'RequestTimeoutError' })
})

test('the types accept lines of one format only, and an item by sku or id', () => {
  const [id, label, jurisdictionCode] = ['a', 'Tea', 'US-CA']
  const [native, legacy] = [
    { label, amount: 2 },
    { label, priceUsd: 2 },
  ]
  const receipts: CreateReceiptRequest[] = [
    { id, lineItems: [native] },
    { id, lineItems: [legacy], totalUsd: 2 },
    // @ts-expect-error A legacy receipt needs its total.
    { id, lineItems: [legacy] },
    // @ts-expect-error A native receipt has no total in US dollars.
    { id, lineItems: [native], totalUsd: 2 },
    // @ts-expect-error A receipt has one format.
    { id, lineItems: [native, legacy], totalUsd: 4 },
    // @ts-expect-error A line has an amount.
    { id, lineItems: [{ label }] },
  ]
  const orders: CreateOrderRequest[] = [
    { items: [{ sku: 'a', qty: 1 }], jurisdictionCode },
    { items: [{ id: 'b', qty: 1 }], jurisdictionCode },
    // @ts-expect-error An item names a product.
    { items: [{ qty: 1 }], jurisdictionCode },
  ]
  expect([receipts.length, orders.length]).toEqual([6, 3])
})
