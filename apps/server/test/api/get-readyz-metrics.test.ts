import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addReadiness } from '../../src/app/health.ts'
import { addMetrics, openMetrics } from '../../src/app/metrics.ts'
import type { FactoryVerdict } from '../../src/chain/judge-factory.ts'
import { insertOwn } from '../../src/chain/own-transaction-store.ts'
import { type Database, Pool } from '../../src/platform/database.ts'
import { makeLog } from '../../src/platform/log.ts'
import type { Metrics } from '../../src/platform/metrics.ts'
import { findNewestMigrationFile } from '../../src/platform/migrate.ts'
import { saveSetAside } from '../../src/platform/set-aside-store.ts'
import { TestClock } from '../support/test-clock.ts'
import { makeTestDatabase, type TestDatabase } from '../support/test-database.ts'

const chain = { id: 31337 }

let database: TestDatabase
let away: Pool
let clock: TestClock
let newestMigration: string
let standing: FactoryVerdict | undefined

beforeAll(async () => {
  database = await makeTestDatabase()
  away = new Pool({ url: 'postgres://nobody@127.0.0.1:1/none', log: makeLog('silent') })
  newestMigration = await findNewestMigrationFile()
})
afterAll(async () => {
  await away?.close()
  await database?.drop()
})
beforeEach(async () => {
  standing = { kind: 'stands' }
  clock = new TestClock()
  for (const table of ['chain_head', 'chain_cursor', 'chain_block', 'set_aside', 'own_transaction'])
    await database.pool.run({ name: `test-empty-${table}`, text: `DELETE FROM ${table}` })
})

/** The chain as the watcher has written it down. */
async function see(blocks: {
  latest: number
  final?: number
  cursor: number
  seenAgoMs?: number
  blockAheadMs?: number
  finalAgoMs?: number
}) {
  const now = clock.now()
  const { latest, cursor, seenAgoMs = 0, blockAheadMs = 0, final = latest, finalAgoMs } = blocks
  const db = database.pool
  await db.run({ name: 'test-head', text: 'INSERT INTO chain_head VALUES (31337, $1, $2, $2, $3)' }, [
    latest,
    final,
    now - seenAgoMs,
  ])
  await db.run(
    { name: 'test-cursor', text: `INSERT INTO chain_cursor VALUES (31337, 'transfers', $1, '0x1', $2, $2)` },
    [cursor, now],
  )
  await db.run({ name: 'test-block', text: `INSERT INTO chain_block VALUES (31337, $1, '0x1', '0x0', $2)` }, [
    latest,
    now + blockAheadMs,
  ])
  if (finalAgoMs !== undefined)
    await db.run(
      { name: 'test-block', text: `INSERT INTO chain_block VALUES (31337, $1, '0x1', '0x0', $2)` },
      [final, now - finalAgoMs],
    )
}

/** Where another reader stands, and the time of that block. */
async function standAt(name: string, number: number, blockAt: number) {
  const text = `INSERT INTO chain_cursor VALUES (31337, $1, $2, '0x1', $3, $3)`
  await database.pool.run({ name: 'test-other-cursor', text }, [name, number, blockAt])
}

async function ask(path: string, add: (app: FastifyInstance) => void, headers = {}) {
  const app = fastify()
  add(app)
  const answer = await app.inject({ url: path, headers })
  await app.close()
  return answer
}

const readiness = (db: Database = database.pool, migration = newestMigration, headers = {}) =>
  ask(
    '/readyz',
    (app) =>
      addReadiness(app, { db, clock, chain, newestMigration: migration, factory: async () => standing }),
    headers,
  )

const open = (db: Database = database.pool) => openMetrics({ db, clock, chain, spool: { pendingCount: 3 } })
const scrape = (metrics: Metrics, headers = {}) => ask('/metrics', (app) => addMetrics(app, metrics), headers)

describe('GET /readyz', () => {
  test('200 ready where the database, its schema, the chain, the watchers and the clock are well', async () => {
    await see({ latest: 100, cursor: 98 })
    const answer = await readiness()
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json()).toEqual({
      status: 'ready',
      checks: {
        database: { ok: true },
        migrations: { ok: true, applied: newestMigration },
        factory: { ok: true },
        chainHead: { ok: true, ageMs: 0, blockAgeMs: 0 },
        cursors: {
          ok: true,
          readers: { transfers: { ok: true, lagBlocks: 2, lagSeconds: 0, lateAfter: { blocks: 300 } } },
        },
        setAside: { ok: true, count: 0, jobs: [], items: [] },
        ownTransactions: { ok: true, stuck: 0, oldestSeconds: null },
        clock: { ok: true, behindChainMs: 0 },
      },
    })
  })

  test('503 not_ready without the database, and no word of where it is', async () => {
    const answer = await readiness(away)
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toEqual({ status: 'not_ready', checks: { database: { ok: false } } })
  })

  test('503 not_ready where the schema is of an older release', async () => {
    await see({ latest: 100, cursor: 98 })
    const answer = await readiness(database.pool, '9999_of-the-next-release')
    expect([answer.statusCode, answer.json().status]).toEqual([503, 'not_ready'])
    expect(answer.json().checks.migrations.ok).toBe(false)
  })

  test('503 not_ready where no split factory stands on the chain, with what to do', async () => {
    await see({ latest: 100, cursor: 98 })
    standing = { kind: 'missing', message: 'There is no split factory' }
    const answer = await readiness()
    expect([answer.statusCode, answer.json().status]).toEqual([503, 'not_ready'])
    expect(answer.json().checks.factory).toEqual({ ok: false, message: 'There is no split factory' })
  })

  test('200 degraded where nobody can say whether the factory stands', async () => {
    await see({ latest: 100, cursor: 98 })
    standing = undefined
    const answer = await readiness()
    expect([answer.statusCode, answer.json().status]).toEqual([200, 'degraded'])
    expect(answer.json().checks.factory).toEqual({ ok: false })
  })

  test.each([
    ['chainHead', { latest: 100, cursor: 98, seenAgoMs: 61_000 }],
    ['cursors', { latest: 1_000, cursor: 98 }],
    ['clock', { latest: 100, cursor: 98, blockAheadMs: 31_000 }],
  ] as const)('200 degraded where %s is not well: requests are served without it', async (check, blocks) => {
    await see(blocks)
    const answer = await readiness()
    expect([answer.statusCode, answer.json().status]).toEqual([200, 'degraded'])
    const notWell = Object.entries<{ ok: boolean }>(answer.json().checks).filter(([, { ok }]) => !ok)
    expect(notWell.map(([name]) => name)).toEqual([check])
  })

  const minute = 60_000
  const hour = 60 * minute
  test.each([
    [
      'the books of splits, a final block and twenty minutes behind the newest',
      'distributions',
      400,
      20 * minute,
      true,
    ],
    ['the books of splits, hundreds of final blocks behind', 'distributions', 1_000, 40 * minute, false],
    ['the hourly look, an hour and a half ago', 'transfers-closed', 3_000, 100 * minute, true],
    ['the hourly look, three hours ago', 'transfers-closed', 5_400, 200 * minute, false],
    ['the daily look, a day ago', 'transfers-old', 44_000, 24 * hour + 40 * minute, true],
    ['the daily look, two days ago', 'transfers-old', 86_400, 48 * hour, false],
  ])('%s: judged by its own period', async (_, name, blocksBehind, msBehind, isWell) => {
    await see({ latest: 100_000, final: 99_600, finalAgoMs: 13 * minute, cursor: 100_000 })
    await standAt(name, 100_000 - blocksBehind, clock.now() - msBehind)
    const { status, checks } = (await readiness()).json()
    expect([checks.cursors.ok, checks.cursors.readers[name].ok]).toEqual([isWell, isWell])
    expect(status).toBe(isWell ? 'ready' : 'degraded')
    const { body } = await scrape(open())
    expect(body.split('\n')).toContain(`sluice_chain_reader_late{watcher="${name}"} ${isWell ? 0 : 1}`)
  })

  describe('an item that is set aside', () => {
    const item = {
      job: 'scan-transfers',
      merchant: '0x00000000000000000000000000000000000000aa',
      item: 'receipt order-7',
      fault: '23505',
      reason: 'duplicate key value violates unique constraint "payment_pkey"',
      tries: 3,
    }
    beforeEach(async () => {
      await see({ latest: 100, cursor: 98 })
      const now = clock.now()
      const since = (now - 90_000) as UnixMs
      await saveSetAside(database.pool, { ...item, since, nextTry: (now + 10_000) as UnixMs })
    })

    test('is shown with its reason to whoever may read the figures', async () => {
      const { status, checks } = (await readiness()).json()
      expect(status).toBe('degraded')
      expect(checks.setAside).toMatchObject({
        ok: false,
        count: 1,
        jobs: [{ job: 'scan-transfers', fault: '23505', count: 1 }],
        items: [item],
      })
      const { body } = await scrape(open())
      for (const line of [
        'sluice_set_aside_items{job="scan-transfers",fault="23505"} 1',
        'sluice_set_aside_seconds 90',
      ])
        expect(body.split('\n')).toContain(line)
      expect(body).not.toContain(item.merchant)
    })

    test('is counted, and not named, to everybody else', async () => {
      const answer = await readiness(database.pool, newestMigration, { 'x-forwarded-for': '203.0.113.9' })
      expect(answer.json().checks.setAside).toMatchObject({ ok: false, count: 1 })
      expect(answer.body).not.toContain(item.merchant)
      expect(answer.body).not.toContain('order-7')
      expect(answer.body).not.toContain('payment_pkey')
    })
  })

  test('a transaction of the service that no block takes for ten minutes is told of', async () => {
    await see({ latest: 100, cursor: 98 })
    await insertOwn(database.pool, {
      chain: 31337,
      sender: '0x00000000000000000000000000000000000000bb' as Wallet,
      nonce: 0n,
      attempt: 0n,
      kind: 'sweep',
      detail: {},
      to: '0x00000000000000000000000000000000000000cc' as Wallet,
      data: '0x',
      gas: 1n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      raw: '0x01',
      hash: '0x01',
      state: 'signed',
      createdAt: (clock.now() - 700_000) as UnixMs,
      sentAt: undefined,
      minedBlock: undefined,
    })
    const { status, checks } = (await readiness()).json()
    expect([status, checks.ownTransactions]).toEqual([
      'degraded',
      { ok: false, stuck: 1, oldestSeconds: 700 },
    ])
  })
})

describe('GET /metrics', () => {
  test('it tells of requests, webhooks, chain, outbox and event loop in the text format of Prometheus', async () => {
    await see({ latest: 100, cursor: 90, seenAgoMs: 2_000 })
    const metrics = open()
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
      'sluice_outbox_notices 0',
      'sluice_spool_records 3',
      'sluice_datastore_up 1',
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
    expect(body).not.toContain('sluice_outbox_notices ')
  })

  test.each(['x-forwarded-for', 'forwarded'])('what came through a proxy (%s) is 404', async (name) => {
    expect((await scrape(open(), { [name]: '203.0.113.9' })).statusCode).toBe(404)
  })
})
