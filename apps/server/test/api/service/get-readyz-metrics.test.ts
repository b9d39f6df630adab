import { fastify } from 'fastify'
import { beforeEach, describe, expect, test } from 'vitest'
import { addMetrics, type MetricsNeeds, openMetrics } from '../../../src/app/probes/metrics.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import type { Metrics } from '../../../src/platform/metrics.ts'
import { RateBook } from '../../../src/pricing/rates/rate-book.ts'
import { scriptedRates } from '../../support/api/scripted-rates.ts'
import { perFile } from '../../support/per-file.ts'
import { type SeenChain, startProbedService, wellParts } from './probed-service.ts'

const service = perFile(startProbedService)
const away = perFile(() => new Pool({ url: 'postgres://nobody@127.0.0.1:1/none', log: makeLog('silent') }))
beforeEach(() => service.begin())

const see = (blocks: SeenChain) => service.see(blocks)

describe('GET /readyz', () => {
  test('200 ready where the database, its schema, the chain, the watchers and the clock are well', async () => {
    await see({ latest: 100, cursor: 98 })
    const response = await service.readiness()
    const transfers = { ok: true, lagBlocks: 2, lagSeconds: 0, lateAfter: { blocks: 300 } }
    expect(response.statusCode).toBe(200)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      status: 'ready',
      checks: {
        database: { ok: true },
        migrations: { ok: true, applied: service.newestMigration },
        factory: { ok: true },
        chainHead: { ok: true, ageMs: 0, blockAgeMs: 0 },
        cursors: { ok: true, readers: { transfers } },
        deferred: { ok: true, count: 0, jobs: [], items: [] },
        outgoingTransactions: { ok: true, stuck: 0, oldestSeconds: null },
        dataDirectory: { ok: true, freeMegabytes: 1024 },
        rates: { ok: true, missing: [] },
        recovery: { ok: true, isSeedConfirmed: false },
        clock: { ok: true, behindChainMs: 0, aheadOfChainMs: 0 },
      },
    })
  })

  test('503 not_ready without the database, and no word of where it is', async () => {
    const response = await service.readiness({ db: away })
    expect(response.statusCode).toBe(503)
    expect(response.json()).toEqual({ status: 'not_ready', checks: { database: { ok: false } } })
  })

  test('503 not_ready where the schema is of an older release', async () => {
    await see({ latest: 100, cursor: 98 })
    const response = await service.readiness({ newestMigration: '9999_of-the-next-release' })
    expect([response.statusCode, response.json().status]).toEqual([503, 'not_ready'])
    expect(response.json().checks.migrations.ok).toBe(false)
  })

  test('503 not_ready where no split factory stands on the chain, with what to do', async () => {
    await see({ latest: 100, cursor: 98 })
    const missing = { kind: 'missing', message: 'There is no split factory' } as const
    const response = await service.readiness({ factory: async () => missing })
    expect([response.statusCode, response.json().status]).toEqual([503, 'not_ready'])
    expect(response.json().checks.factory).toEqual({ ok: false, message: 'There is no split factory' })
  })

  test('200 degraded where nobody can say whether the factory stands', async () => {
    await see({ latest: 100, cursor: 98 })
    const response = await service.readiness({ factory: async () => undefined })
    expect([response.statusCode, response.json().status]).toEqual([200, 'degraded'])
    expect(response.json().checks.factory).toEqual({ ok: false })
  })

  test('on a public chain it warns until the recovery seed was written down', async () => {
    const look = async () => (await service.readiness({ chain: { id: 84532 } })).json().checks.recovery
    expect(await look()).toEqual({ ok: false, isSeedConfirmed: false })
    const text = `INSERT INTO recovery_seed (id, encrypted, made_at, confirmed_at) VALUES (1, '', 0, 0)`
    await service.database.pool.run({ name: '', text })
    expect(await look()).toEqual({ ok: true, isSeedConfirmed: true })
    await service.database.pool.run({ name: '', text: 'DELETE FROM recovery_seed' })
  })

  test('it warns for a day after money was found of a time that the database has lost', async () => {
    await see({ latest: 100, cursor: 98 })
    const now = service.clock.now()
    const text = 'INSERT INTO lost_time VALUES (31337, 0, 0, 0, 0, 0, 0, $1)'
    await service.database.pool.run({ name: '', text }, [now - 86_400_000])
    const { status, checks } = (await service.readiness()).json()
    expect([status, checks.recovery.databaseIsOlder]).toEqual([
      'degraded',
      new Date(now - 86_400_000).toISOString(),
    ])
    await service.database.pool.run({ name: '', text: 'UPDATE lost_time SET found_at = found_at - 1' })
    expect((await service.readiness()).json().status).toBe('ready')
    await service.database.pool.run({ name: '', text: 'DELETE FROM lost_time' })
  })

  test.each([
    ['chainHead', { latest: 100, cursor: 98, seenAgoMs: 61_000 }],
    ['cursors', { latest: 1_000, cursor: 98 }],
    ['clock', { latest: 100, cursor: 98, blockAheadMs: 31_000 }],
  ] as const)('200 degraded where %s is not well: requests are served without it', async (check, blocks) => {
    await see(blocks)
    const response = await service.readiness()
    expect([response.statusCode, response.json().status]).toEqual([200, 'degraded'])
    const notWell = Object.entries<{ ok: boolean }>(response.json().checks).filter(([, { ok }]) => !ok)
    expect(notWell.map(([name]) => name)).toEqual([check])
  })
})

async function openRates(eth?: number) {
  const { clock } = service
  const sources = [scriptedRates({ EUR: 1.1, ETH: eth }, () => clock.now())]
  const rates = new RateBook({ clock, log: makeLog('silent'), sources })
  await rates.refresh()
  return rates
}

test('200 degraded while no source provides a usable rate, until they do again', async () => {
  await see({ latest: 100, cursor: 98 })
  const ask = async (rates: RateBook) => (await service.readiness({ rates })).json()
  const away = await ask(await openRates())
  expect([away.status, away.checks.rates]).toEqual(['degraded', { ok: false, missing: ['ETH'] }])
  const back = await ask(await openRates(3_000))
  expect([back.status, back.checks.rates]).toEqual(['ready', { ok: true, missing: [] }])
})

test.each([
  'almost_full',
  'not_writable',
] as const)('200 degraded while the data directory is %s', async (error) => {
  await see({ latest: 100, cursor: 98 })
  const response = await service.readiness({ dataFolder: async () => ({ freeBytes: 2_000_000, error }) })
  const { status, checks } = response.json()
  expect([response.statusCode, status]).toEqual([200, 'degraded'])
  expect(checks.dataDirectory).toEqual({ ok: false, freeMegabytes: 1, because: error })
})

describe('GET /metrics', () => {
  const open = (db: Pool = service.database.pool, parts: Partial<MetricsNeeds> = {}) => {
    const { clock, chain } = service
    const { refusedWrites } = db
    return openMetrics({ db, clock, chain, refusedWrites, journal: { pendingCount: 3 }, ...parts })
  }
  const scrape = (metrics: Metrics, headers = {}) =>
    service.ask('/metrics', (app) => addMetrics(app, metrics), headers)

  test('it tells of requests, webhooks, chain, outbox and event loop in the text format of Prometheus', async () => {
    await see({ latest: 100, cursor: 90, seenAgoMs: 2_000 })
    const gasAccounts = { balances: [{ role: 'keeper', balance: 2_500_000_000_000_000n }] }
    const metrics = open(undefined, { ...wellParts, rates: await openRates(), gasAccounts })
    metrics.countRequest({ method: 'GET', route: '/api/receipts/:id', status: 200, durationMs: 12 })
    metrics.countWebhookAttempt({ outcome: 'delivered', latenessMs: 40 })
    const { headers, body } = await scrape(metrics)
    expect(headers['content-type']).toContain('text/plain')
    for (const line of [
      'sluice_request_seconds_count{method="GET",route="/api/receipts/:id",status="200"} 1',
      'sluice_webhook_attempts_total{outcome="delivered"} 1',
      'sluice_webhook_lateness_seconds_bucket{le="0.05"} 1',
      'sluice_chain_head_block 100',
      'sluice_chain_head_age_seconds 2',
      'sluice_chain_cursor_block{watcher="transfers"} 90',
      'sluice_chain_lag_blocks{watcher="transfers"} 10',
      'sluice_outbox_messages 0',
      'sluice_journal_records 3',
      'sluice_datastore_up 1',
      'sluice_datastore_writable 1',
      'sluice_datastore_archiving 1',
      'sluice_data_directory_free_bytes 1073741824',
      'sluice_rate_usable{code="EUR"} 1',
      'sluice_rate_usable{code="ETH"} 0',
      'sluice_gas_balance{account="keeper"} 0.0025',
    ])
      expect(body.split('\n')).toContain(line)
    expect(body).toContain('nodejs_eventloop_lag_p99_seconds')
  })

  test('a request is counted by its route, whatever path was asked for', async () => {
    const metrics = open()
    const app = fastify()
    addMetrics(app, metrics)
    app.get('/things/:id', async () => 'ok')
    for (const path of ['/things/1', '/things/2', '/nowhere/1', '/nowhere/2']) await app.inject({ url: path })
    const { body } = await app.inject({ url: '/metrics' })
    await app.close()
    expect(body).toContain('sluice_request_seconds_count{method="GET",route="/things/:id",status="200"} 2')
    expect(body).toContain('sluice_request_seconds_count{method="GET",route="none",status="404"} 2')
  })

  test('without the database it says so and goes on telling what it knows', async () => {
    const { statusCode, body } = await scrape(open(away))
    expect(statusCode).toBe(200)
    expect(body).toContain('sluice_datastore_up 0')
    expect(body).not.toContain('sluice_outbox_messages ')
  })

  test.each(['x-forwarded-for', 'forwarded'])('what came through a proxy (%s) is 404', async (name) => {
    expect((await scrape(open(), { [name]: '203.0.113.9' })).statusCode).toBe(404)
  })
})
