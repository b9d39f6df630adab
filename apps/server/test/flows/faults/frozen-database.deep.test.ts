import { afterAll, expect, test, vi } from 'vitest'
import { until } from '../../../src/platform/process/process.ts'
import { freezePostgres } from '../../support/kill/parts.ts'
import { callerOf, spawnBeside, spawnSeeded } from '../../support/kill/seeded.ts'
import { perFile } from '../../support/per-file.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })
/**
 * Far above the two seconds after which a database counts as unavailable, far below the minutes of a socket
 * timeout.
 */
const responseLimitMs = 60_000

const service = perFile(spawnSeeded)
let thaw = () => {}
afterAll(() => thaw())

async function ask(method: string, path: string, body?: object) {
  const late = new Promise<never>((_, reject) => {
    setTimeout(reject, responseLimitMs, new Error(`no answer: ${method} ${path}`)).unref()
  })
  return Promise.race([callerOf(service.local)(method, path, { body }), late])
}

const receipt = (id: string) => ({ id, lineItems: [{ label: 'Thing', priceUsd: 5 }], totalUsd: 5 })
const telemetry = (value: string) => ({
  receiptId: 'r1',
  wallet: service.local.merchant.address,
  status: value,
})

test('a database that stands still is away like one that is gone, and back as soon as it goes on', async () => {
  expect((await ask('POST', '/api/receipts', receipt('r1'))).status).toBe(201)
  const before = await ask('GET', '/api/receipts')
  expect(before.body.degraded).toBeUndefined()

  thaw = freezePostgres(service.data)
  const responses = await Promise.all([
    ask('GET', '/api/receipts'),
    ask('GET', '/api/receipts/r1'),
    ask('POST', '/api/receipts', receipt('r2')),
    ask('POST', '/api/receipts/status', telemetry('link_opened')),
    ask('GET', '/healthz'),
    ask('GET', '/readyz'),
  ])
  expect(responses.map(({ status }) => status)).toEqual([200, 503, 503, 200, 200, 503])
  expect(responses[0].body).toEqual({ ...before.body, degraded: true, reason: 'datastore_unavailable' })
  expect(responses[1].body.error).toBe('datastore_unavailable')
  expect(responses[1].headers.get('retry-after')).toBe('1')
  expect(responses[2].body.error).toBe('datastore_unavailable')
  expect(responses[3].body).toMatchObject({ ok: true, degraded: true })
  // Twice as many requests as the pool has connections. The pool must get all of its connections back.
  const more = await Promise.all(Array.from({ length: 20 }, () => ask('GET', '/api/receipts')))
  expect(more.map(({ body }) => body.degraded)).toEqual(Array(20).fill(true))
  expect(service.said()).toContain('the database does not respond')

  thaw()
  thaw = () => {}
  const isBack = async () => (await ask('POST', '/api/receipts', receipt('r3'))).status === 201
  expect(await until(isBack, responseLimitMs), service.said().slice(-4_000)).toBe(true)
  expect((await ask('GET', '/api/receipts')).body.degraded).toBeUndefined()
  expect((await ask('GET', '/readyz')).status).toBe(200)
  expect(service.said()).toContain('the database responds again')
  const isMadeGood = () =>
    service.said().includes('writes accepted while the datastore was unavailable have been applied')
  expect(await until(isMadeGood, responseLimitMs)).toBe(true)
})

test('a stop while the database stands still ends in good order', async () => {
  const other = await spawnBeside(service)
  thaw = freezePostgres(service.data)
  other.signal('SIGTERM')
  expect(await other.ended, other.said()).toEqual({ code: 0, signal: null })
  thaw()
  thaw = () => {}
})
