import { describe, expect, test } from 'vitest'
import { RateLimits } from '../../../src/access/limits/rate-limits.ts'
import { Asker, type Reply } from '../../support/api/raw-requests.ts'
import { perFile } from '../../support/per-file.ts'
import { startWholeService } from '../../support/service/whole-service.ts'

const service = perFile(() => startWholeService({ isOffline: true, settings: { RATE_LIMIT_SCALE: '1' } }))
const asker = perFile(() => new Asker(service.port))

let addressCount = 0
const newVisitor = () => ({
  host: 'pay.example.com',
  'x-edge-secret': service.edgeSecret,
  'x-forwarded-for': `198.51.100.${++addressCount}`,
})
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status)
const wallet = `0x${'ab'.repeat(20)}`

async function askAll(method: string, targets: readonly string[], headers = newVisitor()) {
  const replies: Reply[] = []
  const more =
    method === 'POST'
      ? { headers: { ...headers, 'content-type': 'application/json' }, body: '{"token":"USDC"}' }
      : { headers }
  for (const target of targets) replies.push(await asker.ask({ method, target, ...more }))
  return replies
}

describe('a limit on a receipt and an address', () => {
  const spellings = [
    '/api/checkout/there-1/attempts',
    '/api/checkout/%74here-1/attempts',
    '/api/checkout/%74%68ere-1/attempts',
    '/api/checkout/there%2D1/attempts',
    'http://pay.example.com/api/checkout/there-1/attempts',
    'http://pay.example.com/api/checkout/ther%65-1/attempts',
    'HTTP://pay.example.com/api/checkout/there-1/attempts',
    `/api/checkout/there-1/attempts?recipient=${wallet}`,
    '/api/checkout/there-1/attempts?',
  ]

  test('is one, however its path is written', async () => {
    const targets = Array.from({ length: 100 }, (_, i) => spellings[i % spellings.length] ?? '')
    const statuses = statusesOf(await askAll('POST', targets))
    expect(statuses.filter((status) => status !== 429)).toHaveLength(10)
    expect(new Set(statuses.slice(0, 10))).toEqual(new Set([404]))
  })

  test('does not grow with the receipts somebody makes up', async () => {
    const targets = Array.from({ length: 100 }, (_, i) => `/api/checkout/made-up-${i}/attempts`)
    const statuses = statusesOf(await askAll('POST', targets))
    expect(statuses.filter((status) => status !== 429)).toHaveLength(60)
  })

  test('an answer to a target with its host in it is kept by nobody either', async () => {
    const [reply] = await askAll('GET', ['http://pay.example.com/api/receipts'])
    expect([reply?.status, reply?.headers['cache-control']]).toEqual([401, 'no-store'])
    const [other] = await askAll('GET', ['http://elsewhere.example/api/receipts'])
    expect(other?.status).toBe(400)
  })
})

describe('what stands outside the API', () => {
  test('is refused to an address that guesses receipts, as a page', async () => {
    const visitor = newVisitor()
    const guesses = Array.from({ length: 125 }, (_, i) => `/pay/${1000 + i}?recipient=${wallet}`)
    const replies = await askAll('GET', guesses, visitor)
    expect(statusesOf(replies)).toEqual([...Array(120).fill(404), ...Array(5).fill(429)])
    expect(replies.at(-1)?.headers['content-type']).toContain('text/html')
    expect(Number(replies.at(-1)?.headers['retry-after'])).toBeGreaterThan(0)
    expect(statusesOf(await askAll('GET', ['/portal/x'], visitor))).toEqual([429])
    expect(statusesOf(await askAll('GET', ['/pay/x']))).toEqual([404])
  })

  test('tells a guesser of no receipt by its live status either', async () => {
    const guesses = Array.from({ length: 1_210 }, (_, i) => `/pay/${1000 + i}/status?recipient=${wallet}`)
    const statuses = statusesOf(await askAll('GET', guesses))
    expect(statuses.filter((status) => status !== 429)).toHaveLength(1_200)
  })

  test.each([
    '/docs/',
    '/docs/webhooks',
    '/docs/search?q=refund',
    '/docs/api',
    '/docs/js/none.js',
    '/openapi.json',
    '/readyz',
    '/metrics',
  ])('%s has a limit', async (target) => {
    const statuses = statusesOf(await askAll('GET', Array(122).fill(target)))
    expect([statuses.indexOf(429), statuses.at(-1)]).toEqual([120, 429])
  })

  test('is always answered where machines ask whether it lives, and where it costs nothing', async () => {
    expect(new Set(statusesOf(await askAll('GET', Array(200).fill('/healthz'))))).toEqual(new Set([200]))
    expect(new Set(statusesOf(await askAll('GET', Array(200).fill('/favicon.ico'))))).toEqual(new Set([302]))
  })
})

describe('the buckets', () => {
  test('take no more than their megabytes, whatever is typed and from wherever', async () => {
    const limits = new RateLimits(service.context, 1)
    for (let i = 0; i < 200_000; i++)
      await limits.take(i % 2 ? 'attempts' : 'reads', `${i} ${'x'.repeat(200)}`)
    expect(limits.bytes).toBeLessThanOrEqual(32 * 1024 * 1024)
  })

  test('of made-up things push out none of a caller', async () => {
    const limits = new RateLimits(service.context, 1)
    while ((await limits.take('reads', 'subscription:a'))?.isAllowed);
    for (let i = 0; i < 100_000; i++) await limits.take('attempts', `made up ${i}`)
    expect((await limits.take('reads', 'subscription:a'))?.isAllowed).toBe(false)
  })
})
