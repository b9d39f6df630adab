import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { followPages } from '../../support/api/call-api.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { until } from '../../support/api/webhooks.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { type DegradedService, startDegradedService } from '../../support/kill/degraded-api.ts'
import { perFile } from '../../support/per-file.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../../support/programs/temporary-folder.ts'
import { TestClock } from '../../support/test-clock.ts'

const database = perFile(makeTestDatabase)
let folder: TemporaryFolder
let service: DegradedService

beforeEach(async () => {
  folder = await makeTemporaryFolder('degraded')
  const beside = { database, clock: new TestClock() }
  service = await startDegradedService({ beside, dataDir: folder.path })
})
afterEach(async () => {
  await service.stop()
  await folder.remove()
})

const degraded = { degraded: true, reason: 'datastore_unavailable' }
const make = (id: string) => service.call('POST', '/api/receipts', { body: receiptBody(id) })
const report = (status: string, receiptId = 'r') =>
  service.call('POST', '/api/receipts/status', {
    key: '',
    body: { receiptId, wallet: service.merchant, status },
  })

describe('while the datastore is away', () => {
  test('a list that was read before is given again, marked as degraded', async () => {
    await make('r1')
    const before = (await service.call('GET', '/api/receipts')).body
    service.datastore.isAway = true
    const { status, body } = await service.call('GET', '/api/receipts')
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, ...degraded })
  })

  test('what one merchant asks for pushes nothing of another out of memory', async () => {
    await make('r1')
    expect((await service.call('GET', '/api/receipts')).status).toBe(200)
    const key = await service.addMerchant()
    const lineItems = Array.from({ length: 5 }, (_, i) => ({ label: `${i} ${'x'.repeat(180)}`, priceUsd: 1 }))
    for (let i = 0; i < 120; i++)
      await service.call('POST', '/api/receipts', { key, body: receiptBody(`r-${i}`, 5, { lineItems }) })
    const list = (query: string) => service.call('GET', `/api/receipts?${query}`, { key })
    const pages = await followPages((more) => list(`limit=1${more}`))
    // Reads 28,000 receipts on 470 pages, so that a cache with one limit for all merchants would evict the
    // oldest entries.
    for (const { nextCursor } of pages.slice(0, -1))
      for (const limit of ['', '&limit=200', '&limit=199', '&limit=198'])
        expect((await list(`cursor=${nextCursor}${limit}`)).status).toBe(200)
    service.datastore.isAway = true
    const { status, body } = await service.call('GET', '/api/receipts')
    expect([status, body.receipts?.length]).toEqual([200, 1])
  })

  test('a list that was never read is 503 and not empty, also where the same was read with another limit', async () => {
    await make('r1')
    await service.call('GET', '/api/receipts')
    service.datastore.isAway = true
    const { status, body, headers } = await service.call('GET', '/api/receipts?limit=1')
    expect([status, body.error]).toEqual([503, 'datastore_unavailable'])
    expect(headers.get('retry-after')).toBe('1')
  })

  test('what concerns money is 503 with Retry-After and leaves nothing behind', async () => {
    await make('r1')
    service.datastore.isAway = true
    const { status, body, headers } = await make('r2')
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'datastore_unavailable', '1'])
    for (const path of ['/api/receipts/r1', '/api/receipts/status?receiptId=r1'])
      expect((await service.call('GET', path)).status).toBe(503)
    service.datastore.isAway = false
    expect((await service.call('GET', '/api/receipts/r2')).status).toBe(404)
  })

  test('a key verified in the last five minutes still counts; then, or never verified, it is 503', async () => {
    await service.call('GET', '/api/receipts')
    service.datastore.isAway = true
    await service.clock.advance(4 * 60_000)
    expect((await service.call('GET', '/api/receipts')).status).toBe(200)
    const forged = `sk_test_${'a'.repeat(49)}`
    expect((await service.call('GET', '/api/receipts', { key: forged })).status).toBe(401)
    await service.clock.advance(60_000)
    expect((await service.call('GET', '/api/receipts')).status).toBe(503)
  })

  test('telemetry is promised, and counted once when the datastore is back', async () => {
    await make('r')
    service.datastore.isAway = true
    const { status, body } = await report('link_opened')
    expect(status).toBe(200)
    const data = { receiptId: 'r', wallet: service.merchant, status: 'link_opened' }
    expect(body).toEqual({ ok: true, ...degraded, data })
    for (const value of ['buyer_logged_in', 'onramp_started'])
      expect((await report(value)).body.degraded).toBe(true)
    service.datastore.isAway = false
    await until(service.clock, () => service.journal.pendingCount === 0, 'the promises are kept', 1_000)
    const reported = ['r buyer_logged_in', 'r link_opened', 'r onramp_started']
    expect(await service.countTelemetry()).toEqual(new Map(reported.map((each) => [each, 1])))
  })

  const aboutMoney = ['checkout_success', 'refund_requested']
  test.each(aboutMoney)('the status %s concerns money and is 503', async (value) => {
    const session = await service.logIn()
    await service.call('GET', '/api/receipts', { session })
    service.datastore.isAway = true
    const body = { receiptId: 'r', wallet: service.merchant, status: value }
    expect((await service.call('POST', '/api/receipts/status', { session, body })).status).toBe(503)
    expect(service.journal.pendingCount).toBe(0)
  })

  test('malformed input is refused as ever', async () => {
    service.datastore.isAway = true
    const response = await service.call('POST', '/api/receipts/status', {
      key: '',
      body: { status: 'error' },
    })
    expect(response.status).toBe(400)
  })

  test('a change of the shop is promised to a session verified lately, and made when the datastore is back', async () => {
    const session = await service.logIn()
    const change = (body: object) => service.call('POST', '/api/shop/config', { session, body })
    expect((await change({ name: 'Before', bio: 'kept' })).status).toBe(200)
    const before = (await service.call('GET', '/api/shop/config')).body
    service.datastore.isAway = true
    const { status, body } = await change({ name: 'First' })
    expect(status).toBe(200)
    expect(body).toEqual({ ok: true, ...degraded, data: { name: 'First' } })
    expect((await change({ name: 'Second' })).body.degraded).toBe(true)
    expect((await change({ name: 7 })).status).toBe(400)
    expect((await service.call('GET', '/api/shop/config')).body).toEqual({ ...before, ...degraded })
    service.datastore.isAway = false
    expect((await change({ description: 'directly' })).body.degraded).toBeUndefined()
    const { config } = (await service.call('GET', '/api/shop/config')).body
    expect(config).toMatchObject({ name: 'Second', bio: 'kept', description: 'directly' })
    expect(service.journal.pendingCount).toBe(0)
  })

  test('a promise is kept for good before a keyed request that is refused, and is not undone with it', async () => {
    const session = await service.logIn()
    const change = (body: object, headers = {}) =>
      service.call('POST', '/api/shop/config', { session, body, headers })
    await service.database.pool.run({
      name: 'test-take-slug',
      text: `INSERT INTO shop_slug (slug, merchant) VALUES ('taken-slug', '0x${'12'.repeat(20)}')`,
    })
    expect((await change({ name: 'Before' })).status).toBe(200)
    service.datastore.isAway = true
    expect((await change({ name: 'Promised' })).body.degraded).toBe(true)
    service.datastore.isAway = false
    const refused = await change({ slug: 'taken-slug' }, { 'idempotency-key': 'refused' })
    expect([refused.status, refused.body.error]).toEqual([409, 'slug_taken'])
    expect(service.journal.pendingCount).toBe(0)
    expect((await service.call('GET', '/api/shop/config')).body.config.name).toBe('Promised')
  })

  test('a keyed request is not promised: it is 503, and is answered once the datastore is back', async () => {
    const session = await service.logIn()
    const options = { session, body: { name: 'Keyed' }, headers: { 'idempotency-key': 'later' } }
    expect((await service.call('POST', '/api/shop/config', { session, body: { bio: 'x' } })).status).toBe(200)
    service.datastore.isAway = true
    expect((await service.call('POST', '/api/shop/config', options)).status).toBe(503)
    expect(service.journal.pendingCount).toBe(0)
    service.datastore.isAway = false
    expect((await service.call('POST', '/api/shop/config', options)).body.config.name).toBe('Keyed')
  })

  test('of a report that is promised only what it says is kept', async () => {
    service.datastore.isAway = true
    const body = { receiptId: 'r', wallet: service.merchant, status: 'error', filler: 'x'.repeat(200_000) }
    expect((await service.call('POST', '/api/receipts/status', { key: '', body })).status).toBe(200)
    const journal = await readFile(join(folder.path, 'journal', '0', 'journal'), 'utf8')
    expect(journal).toContain(service.merchant)
    expect(journal).not.toContain('filler')
  })

  test('a session that nobody verified lately, and one without its CSRF token, promise nothing', async () => {
    const session = await service.logIn()
    service.datastore.isAway = true
    const body = { name: 'Never' }
    expect((await service.call('POST', '/api/shop/config', { session, body })).status).toBe(503)
    service.datastore.isAway = false
    await service.call('GET', '/api/receipts', { session })
    service.datastore.isAway = true
    const forged = { ...session, csrfToken: 'forged' }
    expect((await service.call('POST', '/api/shop/config', { session: forged, body })).status).toBe(403)
    await service.clock.advance(5 * 60_000)
    expect((await service.call('POST', '/api/shop/config', { session, body })).status).toBe(503)
    expect(service.journal.pendingCount).toBe(0)
  })

  test('the probe answers', async () => {
    service.datastore.isAway = true
    expect((await service.call('GET', '/healthz')).body).toEqual({ status: 'ok' })
  })
})

test('what a process promised before it died is kept by the next one', async () => {
  await make('left')
  service.datastore.isAway = true
  await report('link_opened', 'left')
  const { merchant } = service
  await service.stop()
  service.datastore.isAway = false
  const next = await startDegradedService({ beside: service, dataDir: folder.path })
  await until(service.clock, () => next.journal.pendingCount === 0, 'the promises are kept', 1_000)
  const text = 'SELECT value, count FROM receipt_telemetry WHERE merchant = $1'
  const rows = await service.database.pool.rows({ name: 'test-find-left', text }, [merchant])
  expect(rows).toEqual([{ value: 'link_opened', count: 1n }])
  service = next
})

test('an answer given while the datastore is there is not marked', async () => {
  const { body } = await service.call('GET', '/api/receipts')
  expect(body).toEqual({ receipts: [], nextCursor: null })
})
