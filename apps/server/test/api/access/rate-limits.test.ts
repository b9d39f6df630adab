import { describe, expect, test } from 'vitest'
import { createSubscription } from '../../../src/access/keys/create-subscription.ts'
import { RateLimits } from '../../../src/access/limits/rate-limits.ts'
import { route } from '../../../src/access/route.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { logIn, newWallet, signChallenge } from '../../support/api/sessions.ts'
import { startApi, type TestApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(() =>
  startApi({
    // Per minute: reads 30, writes 10, logins and failed authentications 2, attempts 1.
    rateLimitScale: 0.1,
    edgeSecret: 'an edge secret that is long enough for the tests',
    more: () => [
      route({
        method: 'POST',
        path: '/api/test/attempts/{id}',
        access: { kind: 'public' },
        limit: { name: 'attempts', per: 'params' },
        description: 'Counted per path and address.',
        responses: {},
        handle: async () => ({ status: 200, body: { ok: true } }),
      }),
      route({
        method: 'POST',
        path: '/api/test/telemetry/{id}',
        access: { kind: 'public' },
        description: 'Counted by its handler.',
        responses: {},
        async handle({ limit }) {
          await limit('telemetry', 'receipt-1')
          return { status: 200, body: { ok: true } }
        },
      }),
    ],
  }),
)
const merchant = perFile(() => api.addMerchant())
const other = perFile(() => api.addMerchant())

let addressCount = 0
const from = (address = `192.0.2.${++addressCount}`) => ({
  'x-edge-secret': 'an edge secret that is long enough for the tests',
  'x-forwarded-for': address,
})
const read = (key: string, headers = {}) => api.call('GET', '/api/receipts', { key, headers })
const limits = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN))

describe('a subscription', () => {
  test('is told its limit, what is left and when it is full again; then 429 until resetAt', async () => {
    const start = api.clock.now()
    expect(limits(await read(merchant.key))).toEqual([30, 29, start + 2_000])
    for (let i = 0; i < 29; i++) expect((await read(merchant.key)).status).toBe(200)
    const refused = await read(merchant.key)
    expect(refused.status).toBe(429)
    const message = 'Rate limit exceeded'
    expect(refused.body).toEqual({ error: 'rate_limited', message, resetAt: start + 2_000 })
    expect(limits(refused)).toEqual([30, 0, start + 2_000])
    expect(refused.headers.get('retry-after')).toBe('2')
    api.clock.jumpTo(start + 1_999)
    expect((await read(merchant.key)).status).toBe(429)
    api.clock.jumpTo(start + 2_000)
    expect((await read(merchant.key)).status).toBe(200)
    expect((await read(merchant.key)).status).toBe(429)
  })

  test('counts both its keys together, and another merchant’s apart', async () => {
    expect((await read(merchant.secondaryKey)).status).toBe(429)
    expect((await read(other.key)).status).toBe(200)
  })

  test('counts for its merchant too: all of them together do three times what one may', async () => {
    const busy = await api.addMerchant()
    const owner = await logIn(api, busy)
    const keys = [busy.key]
    for (let i = 0; i < 3; i++) {
      const needs = { ...api.needs, random: systemRandom }
      keys.push((await createSubscription(needs, busy.wallet, { name: `${i}`, mode: 'test' })).primaryKey)
    }
    const statuses: number[] = []
    const [last = '', ...others] = keys.reverse()
    for (const key of others) for (let i = 0; i < 30; i++) statuses.push((await read(key)).status)
    expect(statuses).toEqual(Array(90).fill(200))
    const refused = await read(last)
    expect(refused.body).toMatchObject({
      error: 'rate_limited',
      message: 'Rate limit of the merchant exceeded',
    })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(limits(refused)[0]).toBe(90)
    expect((await api.call('GET', '/api/subscriptions', { session: owner })).status).toBe(429)
    expect((await read(other.key)).status).toBe(200)
  })

  test('writes are counted apart from reads', async () => {
    const write = () => api.call('POST', '/api/receipts', { key: merchant.key, body: {} })
    for (let i = 0; i < 10; i++) expect((await write()).status).toBe(400)
    expect((await write()).status).toBe(429)
  })

  test('is full again after a minute', async () => {
    await api.clock.advance(60_000)
    expect(limits(await read(merchant.key))[1]).toBe(29)
  })

  test('a clock that goes back a day stops nobody for longer than a minute', async () => {
    const now = api.clock.now()
    for (let i = 0; i < 30; i++) await read(merchant.key)
    expect((await read(merchant.key)).status).toBe(429)
    api.clock.jumpTo(now - 86_400_000)
    await read(merchant.key)
    api.clock.jumpTo(now - 86_400_000 + 60_000)
    expect((await read(merchant.key)).status).toBe(200)
    api.clock.jumpTo(now + 120_000)
  })
})

describe('who is counted', () => {
  test('sessions each for themselves', async () => {
    const [one, two] = [await logIn(api, merchant), await logIn(api, other)]
    for (let i = 0; i < 30; i++) await api.call('GET', '/api/members', { session: one })
    expect((await api.call('GET', '/api/members', { session: one })).status).toBe(429)
    expect((await api.call('GET', '/api/members', { session: two })).status).toBe(200)
    await api.clock.advance(60_000)
  })

  test('without a credential the address', async () => {
    const headers = from()
    for (let i = 0; i < 30; i++)
      expect((await api.call('GET', '/api/receipts', { headers })).status).toBe(401)
    expect((await api.call('GET', '/api/receipts', { headers })).status).toBe(429)
    expect((await api.call('GET', '/api/receipts', { headers: from() })).status).toBe(401)
  })

  test('an address that nobody vouches for is not believed', async () => {
    const headers = () => ({ 'x-forwarded-for': `198.51.100.${++addressCount}` })
    for (let i = 0; i < 30; i++) await api.call('GET', '/api/receipts', { headers: headers() })
    expect((await api.call('GET', '/api/receipts', { headers: headers() })).status).toBe(429)
  })

  test('a path and an address together, where a route says so', async () => {
    const headers = from()
    const attempt = (id: string, more = headers) =>
      api.call('POST', `/api/test/attempts/${id}`, { headers: more })
    expect((await attempt('a')).status).toBe(200)
    expect((await attempt('a')).status).toBe(429)
    expect((await attempt('b')).status).toBe(200)
    expect((await attempt('a', from())).status).toBe(200)
  })

  test('what only the handler knows', async () => {
    const send = () => api.call('POST', '/api/test/telemetry/1', { headers: from() })
    for (let i = 0; i < 3; i++) expect((await send()).status).toBe(200)
    const refused = await send()
    expect([refused.status, limits(refused)[0]]).toEqual([429, 3])
  })
})

describe('failed authentications', () => {
  test('an address with too many is told so, and a valid key from it is let in all the same', async () => {
    const headers = from()
    const wrong = `${merchant.key.slice(0, -6)}000000`
    expect((await read(wrong, headers)).status).toBe(401)
    expect(limits(await read(wrong, headers))).toEqual([2, 0, expect.any(Number)])
    const refused = await read(wrong, headers)
    expectApiError(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('30')
    expect((await read(merchant.key, headers)).status).toBe(200)
    expect((await read(other.secondaryKey, headers)).status).toBe(200)
    const session = await logIn(api, merchant)
    const cookie = { ...headers, cookie: session.cookie }
    expect((await api.call('GET', '/api/members', { headers: cookie })).status).toBe(200)
    expect((await read(wrong, headers)).status).toBe(429)
    await api.clock.advance(30_000)
    expect((await read(wrong, headers)).status).toBe(401)
  })

  test('forged sessions count, sessions that ended do not', async () => {
    const headers = { ...from(), cookie: 'cb_auth_token=forged' }
    for (let i = 0; i < 2; i++) await api.call('GET', '/api/members', { headers })
    expect((await api.call('GET', '/api/members', { headers })).status).toBe(429)
    await api.clock.advance(60_000)
    const session = await logIn(api, merchant)
    await api.clock.advance(40 * 60_000)
    const ended = { ...from(), cookie: session.cookie }
    for (let i = 0; i < 5; i++)
      expect((await api.call('GET', '/api/members', { headers: ended })).status).toBe(401)
  })
})

describe('logins', () => {
  const send = (body: unknown, headers: Record<string, string>) =>
    api.call('POST', '/api/auth/login', { body, headers })

  test('of one office are all let in, however many they are, and told how their address stands', async () => {
    const headers = from()
    for (let i = 0; i < 8; i++) {
      const response = await send(await signChallenge(elsewhere, newWallet()), headers)
      expect([response.status, ...limits(response).slice(0, 2)]).toEqual([200, 2, 2])
    }
  })

  test('that fail are counted for their address, and a wallet that signed is let in all the same', async () => {
    const headers = from()
    const account = newWallet()
    const wrong = async () => ({ ...(await signChallenge(elsewhere, account)), address: merchant.wallet })
    expect((await send(await wrong(), headers)).status).toBe(401)
    // A malformed body counts as a failure too.
    expect((await send('{', headers)).status).toBe(400)
    const refused = await send(await wrong(), headers)
    expectApiError(refused, 429, 'rate_limited')
    expect([refused.headers.get('retry-after'), limits(refused)[1]]).toEqual(['30', 0])
    expect((await send(await signChallenge(elsewhere, account), headers)).status).toBe(200)
    expect((await send(await wrong(), headers)).status).toBe(429)
    await api.clock.advance(30_000)
    expect((await send(await wrong(), headers)).status).toBe(401)
  })

  /** Requests each challenge from a new address, since challenges have a limit per address. */
  const elsewhere: Pick<TestApi, 'call'> = {
    call: (method, path, options) => api.call(method, path, { ...options, headers: from() }),
  }
})

describe('several processes on one database', () => {
  test('let no more through together than one would alone, and wait for the database rarely', async () => {
    const needs = { db: api.database.pool, clock: api.clock }
    let leases = 0
    const counting = new Proxy(api.database.pool, {
      get: (pool, name) => {
        if (name !== 'row') return Reflect.get(pool, name).bind?.(pool)
        return (...args: Parameters<typeof pool.row>) => {
          leases++
          return pool.row(...args)
        }
      },
    })
    const replicas = [{ ...needs, db: counting }, needs, needs].map((each) => new RateLimits(each, 1))
    for (const replica of replicas) replica.share(true)
    const verdicts = await Promise.all(
      Array.from({ length: 600 }, (_, i) => replicas[i % 3]?.take('reads', 'subscription:shared')),
    )
    const allowed = verdicts.filter((verdict) => verdict?.isAllowed).length
    expect(allowed).toBeLessThanOrEqual(300)
    // A process leases at most a tenth of the limit in advance.
    expect(allowed).toBeGreaterThan(300 - 2 * 30)
    for (const replica of replicas) while ((await replica.take('reads', 'subscription:shared'))?.isAllowed);
    expect(leases).toBeLessThan(20)
    const refused = await replicas[0]?.take('reads', 'subscription:shared')
    expect(refused).toMatchObject({ isAllowed: false, limit: 300, remaining: 0 })
    await api.clock.advance(60_000)
    expect((await replicas[1]?.take('reads', 'subscription:shared'))?.isAllowed).toBe(true)
  })

  test('a process whose clock runs ahead a little gains nothing for the others', async () => {
    const shifted = { now: () => (api.clock.now() + 1_000) as never, after: api.clock.after.bind(api.clock) }
    const one = new RateLimits({ db: api.database.pool, clock: api.clock }, 1)
    const two = new RateLimits({ db: api.database.pool, clock: shifted }, 1)
    let allowed = 0
    for (const replica of [one, two]) replica.share(true)
    for (let i = 0; i < 400; i++)
      if ((await (i % 2 ? one : two).take('reads', 'subscription:skew'))?.isAllowed) allowed++
    expect(allowed).toBeLessThanOrEqual(305)
  })

  test('a clock that was a day ahead and is set right stops nobody for longer than a minute', async () => {
    const right = api.clock.now()
    const replica = new RateLimits({ db: api.database.pool, clock: api.clock }, 1)
    replica.share(true)
    const take = () => replica.take('reads', 'subscription:set-right')
    api.clock.jumpTo(right + 86_400_000)
    while ((await take())?.isAllowed);
    api.clock.jumpTo(right)
    expect((await take())?.isAllowed).toBe(false)
    api.clock.jumpTo(right + 1_000)
    // Updates the shared bucket.
    await take()
    api.clock.jumpTo(right + 60_000)
    expect(replica.look('reads', 'subscription:set-right')?.isAllowed).toBe(true)
    expect((await take())?.isAllowed).toBe(true)
  })
})

const free = perFile(() => startApi({ beside: api }))
test('RATE_LIMIT_SCALE 0 means no limits and no headers', async () => {
  const response = await free.call('GET', '/api/receipts', { key: merchant.key })
  expect(response.headers.get('x-ratelimit-limit')).toBeNull()
})
