import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addReadiness } from '../../../src/app/probes/health.ts'
import { addMetrics, openMetrics } from '../../../src/app/probes/metrics.ts'
import { insertOwn } from '../../../src/chain/transactions/store.ts'
import { findNewestMigrationFile } from '../../../src/platform/database/migrate.ts'
import { saveSetAside } from '../../../src/platform/jobs/set-aside-store.ts'
import { makeTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'
import { TestClock } from '../../support/test-clock.ts'

const chain = { id: 31337 }

let database: TestDatabase
let clock: TestClock
let newestMigration: string

beforeAll(async () => {
  database = await makeTestDatabase()
  newestMigration = await findNewestMigrationFile()
})
afterAll(async () => {
  await database?.drop()
})
beforeEach(async () => {
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

const readiness = (headers = {}) =>
  ask(
    '/readyz',
    (app) =>
      addReadiness(app, {
        db: database.pool,
        clock,
        chain,
        newestMigration,
        factory: async () => ({ kind: 'stands' }),
      }),
    headers,
  )
const scrape = () =>
  ask('/metrics', (app) =>
    addMetrics(app, openMetrics({ db: database.pool, clock, chain, spool: { pendingCount: 0 } })),
  )

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
  const { body } = await scrape()
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
    const { body } = await scrape()
    for (const line of [
      'sluice_set_aside_items{job="scan-transfers",fault="23505"} 1',
      'sluice_set_aside_seconds 90',
    ])
      expect(body.split('\n')).toContain(line)
    expect(body).not.toContain(item.merchant)
  })

  test('is counted, and not named, to everybody else', async () => {
    const answer = await readiness({ 'x-forwarded-for': '203.0.113.9' })
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
  expect([status, checks.ownTransactions]).toEqual(['degraded', { ok: false, stuck: 1, oldestSeconds: 700 }])
})
