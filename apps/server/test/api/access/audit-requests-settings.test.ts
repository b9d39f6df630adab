import { beforeAll, describe, expect, test } from 'vitest'
import { type AuditEntry, errorOfEntry } from '../../../src/access/audit/audit-entry.ts'
import { listAudit } from '../../../src/access/audit/list-audit.ts'
import { pruneAccess } from '../../../src/access/prune-access.ts'
import { findSettings } from '../../../src/access/settings/find-settings.ts'
import { followPages } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { logIn, newWallet, type TestSession } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'
import { appendEntry } from './append-entry.ts'

const dayMs = 24 * 60 * 60_000
const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())
let owner: TestSession
const stranger = perFile(async () => logIn(api, await api.addMerchant()))
beforeAll(async () => {
  owner = await logIn(api, merchant)
})

const get = (path: string, session = owner) => api.call('GET', path, { session })

describe('GET /api/audit', () => {
  test('who did what to whom, newest first, with its correlation id', async () => {
    const { wallet } = newWallet()
    const headers = { 'x-correlation-id': 'audit-1' }
    await api.call('POST', '/api/members', { session: owner, headers, body: { wallet, role: 'viewer' } })
    const { entries } = (await get('/api/audit')).body
    expect(entries[0]).toEqual({
      sequence: expect.any(Number),
      at: api.clock.now(),
      actor: merchant.wallet,
      action: 'member.added',
      subject: wallet,
      details: { role: 'viewer' },
      correlationId: 'audit-1',
      previousHash: entries[1].hash,
      hash: expect.stringMatching(/^k1\.[0-9a-f]{64}$/),
    })
    expect(entries.at(-1)).toMatchObject({ sequence: 1, previousHash: '', action: 'session.began' })
  })

  test('what was undone leaves no entry', async () => {
    const before = (await get('/api/audit')).body.entries.length
    await api.call('DELETE', `/api/members?wallet=${newWallet().wallet}`, { session: owner })
    expect((await get('/api/audit')).body.entries.length).toBe(before)
  })

  test('pages follow each other without a gap, and a bad page is 400', async () => {
    const pages = await followPages((more) => get(`/api/audit?limit=1${more}`))
    const seen = pages.flatMap(({ entries }) => entries.map((each: { sequence: number }) => each.sequence))
    expect(seen).toEqual(seen.map((_, i) => seen.length - i))
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=-1'])
      expect((await get(`/api/audit?${query}`)).status).toBe(400)
  })

  test('another merchant sees none of it', async () => {
    const { entries } = (await get('/api/audit', stranger)).body
    expect(JSON.stringify(entries)).not.toContain(merchant.wallet)
  })

  test('acts at once stand in one chain, which any change breaks', async () => {
    const { wallet } = await api.addMerchant()
    const numbers = Array.from({ length: 20 }, (_, i) => i + 1)
    await Promise.all(numbers.map((i) => appendEntry(api, wallet, i, { i })))
    const entries = (await listAudit(api.needs.db, wallet, {})).entries.toReversed()
    expect(entries.map(({ sequence }) => Number(sequence))).toEqual(numbers)
    const findBroken = (chain: readonly AuditEntry[]) =>
      chain.find((entry, i) => errorOfEntry(api.needs.secrets, entry, chain[i - 1]))?.sequence
    expect(findBroken(entries)).toBeUndefined()
    const change = (at: number, entry: Partial<AuditEntry>) =>
      findBroken(entries.map((each, i) => (i === at ? { ...each, ...entry } : each)))
    expect(change(4, { subject: 'x' })).toBe(5n)
    expect(change(4, { details: '{}' })).toBe(5n)
    expect(change(4, { hash: entries[3]?.hash ?? '' })).toBe(5n)
    expect(findBroken(entries.toSpliced(6, 1))).toBe(8n)
  })
})

describe('GET /api/requests', () => {
  test('time, route, status, correlation id and who it was, refused ones too', async () => {
    const key = merchant.key
    const headers = { 'x-correlation-id': 'request-1' }
    await api.call('GET', '/api/receipts/none', { key, headers })
    await api.call('POST', '/api/receipts', { key, body: {} })
    await api.needs.requests.flush()
    const { requests } = (await get(`/api/requests?key=${merchant.subscriptionId}`)).body
    expect(requests.length).toBe(2)
    expect(requests.find((each: { status: number }) => each.status === 404)).toEqual({
      at: api.clock.now(),
      method: 'GET',
      route: '/api/receipts/{id}',
      status: 404,
      correlationId: 'request-1',
      subscriptionId: merchant.subscriptionId,
      keyId: expect.any(String),
      wallet: null,
      address: '127.0.0.1',
    })
    expect(requests.map((each: { status: number }) => each.status)).toContain(400)
    const { keyId } = requests[0]
    expect((await get(`/api/requests?key=${keyId}`)).body.requests.length).toBe(2)
  })

  test('what a session reads is not kept: an open web app would fill it', async () => {
    const count = async () => (await get('/api/requests')).body.requests.length
    const before = await count()
    for (const path of ['/api/settings', '/api/receipts', '/api/requests']) await get(path)
    await api.needs.requests.flush()
    expect(await count()).toBe(before)
  })

  test('without a key it lists what sessions wrote and what keys asked, newest first, page by page', async () => {
    const session = await logIn(api, merchant)
    for (let i = 0; i < 5; i++) {
      await api.clock.advance(1_000)
      const body = { taxRates: [] }
      await (i % 2
        ? api.call('POST', '/api/settings', { session, body })
        : api.call('GET', '/api/receipts', { key: merchant.secondaryKey }))
    }
    await api.needs.requests.flush()
    type Line = { at: number; wallet: string; correlationId: string }
    const all: Line[] = (await get('/api/requests')).body.requests
    const times = all.map(({ at }) => at)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(all.some(({ wallet }) => wallet === merchant.wallet)).toBe(true)
    const first = (await get('/api/requests?limit=3')).body
    const second = (await get(`/api/requests?limit=3&cursor=${first.nextCursor}`)).body
    await api.needs.requests.flush()
    const idsOf = (lines: Line[]) => lines.map(({ correlationId }) => correlationId)
    expect(idsOf([...first.requests, ...second.requests])).toEqual(idsOf(all.slice(0, 6)))
  })

  test('another merchant’s key has no requests, and a bad cursor is 400', async () => {
    const response = await get(`/api/requests?key=${merchant.subscriptionId}`, stranger)
    expect([response.status, response.body.requests]).toEqual([200, []])
    expect((await get('/api/requests?cursor=x')).status).toBe(400)
  })

  test('lines are kept for thirty days and not much longer', async () => {
    const old = await startApi({ beside: api })
    await api.call('GET', '/api/receipts', { key: merchant.key })
    await api.needs.requests.flush()
    const start = api.clock.now()
    const count = async () => {
      const session = await logIn(old, merchant)
      return (await get(`/api/requests?key=${merchant.subscriptionId}`, session)).body.requests.length
    }
    const before = await count()
    api.clock.jumpTo(start + 30 * dayMs)
    await pruneAccess(api.needs)
    expect(await count()).toBe(before)
    api.clock.jumpTo(start + 32 * dayMs)
    await pruneAccess(api.needs)
    expect(await count()).toBe(0)
    api.clock.jumpTo(start)
    owner = await logIn(api, merchant)
    await old.stop()
  })
})

describe('GET and POST /api/settings', () => {
  const post = (body: unknown, session = owner) => api.call('POST', '/api/settings', { session, body })
  const rateOf = (jurisdictionCode: string, rate: number) => ({ jurisdictionCode, rate })

  test('a merchant that has said nothing has the defaults', async () => {
    const session = await logIn(api, newWallet())
    const finality = { safeFromUsd: 100, finalFromUsd: 1000 }
    const nothing = { taxRates: [], embedOrigins: [], updatedAt: null }
    expect((await get('/api/settings', session)).body).toEqual({ settings: { finality, ...nothing } })
  })

  test('what is given changes and the rest stays', async () => {
    const first = await post({ finality: { safeFromUsd: 20.5, finalFromUsd: 500 } })
    expect(first.status).toBe(200)
    const taxRates = [{ jurisdictionCode: 'us-ca', rate: 0.095, components: ['State', 'City'] }]
    await post({ taxRates })
    const last = await post({
      embedOrigins: ['https://Shop.example:443/', 'http://localhost:3000', 'https://shop.example'],
    })
    const settings = {
      finality: { safeFromUsd: 20.5, finalFromUsd: 500 },
      taxRates: [{ jurisdictionCode: 'US-CA', rate: 0.095, components: ['State', 'City'] }],
      embedOrigins: ['https://shop.example', 'http://localhost:3000'],
      updatedAt: api.clock.now(),
    }
    expect(last.body).toEqual({ ok: true, settings })
    expect((await get('/api/settings')).body).toEqual({ settings })
    expect((await findSettings(api.needs.db, merchant.wallet)).finality.safeFrom).toBe(2050n)
  })

  test.each([
    ['an amount of three decimals', { finality: { safeFromUsd: 1.001, finalFromUsd: 2 } }],
    ['safe above final', { finality: { safeFromUsd: 3, finalFromUsd: 2 } }],
    ['half a policy', { finality: { safeFromUsd: 3 } }],
    ['a negative amount', { finality: { safeFromUsd: -1, finalFromUsd: 2 } }],
    ['a rate above one', { taxRates: [rateOf('US-CA', 9.5)] }],
    ['a rate of seven decimals', { taxRates: [rateOf('US-CA', 0.0000001)] }],
    ['a jurisdiction of another form', { taxRates: [rateOf('California', 0.1)] }],
    ['a jurisdiction twice', { taxRates: [rateOf('US-CA', 0.1), rateOf('us-ca', 0.2)] }],
    ['an origin with a path', { embedOrigins: ['https://shop.example/pay'] }],
    ['every origin', { embedOrigins: ['*'] }],
    ['an origin that ends the policy', { embedOrigins: ['https://shop.example; script-src *'] }],
    ['too many origins', { embedOrigins: Array.from({ length: 21 }, (_, i) => `https://${i}.example`) }],
  ])('%s is 400 and changes nothing', async (_name, body) => {
    const before = (await get('/api/settings')).text
    expectApiError(await post(body), 400, 'invalid_input')
    expect((await get('/api/settings')).text).toBe(before)
  })

  test('another merchant’s settings are its own', async () => {
    await post({ embedOrigins: ['https://mine.example'] })
    expect((await get('/api/settings', stranger)).text).not.toContain('mine.example')
  })
})
