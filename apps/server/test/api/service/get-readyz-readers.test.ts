import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { addMetrics, openMetrics } from '../../../src/app/probes/metrics.ts'
import { insertOutgoing } from '../../../src/chain/transactions/store.ts'
import { saveDeferred } from '../../../src/platform/jobs/deferred-store.ts'
import { perFile } from '../../support/per-file.ts'
import { type SeenChain, startProbedService } from './probed-service.ts'

const service = perFile(startProbedService)
beforeEach(() => service.begin())

const see = (blocks: SeenChain) => service.see(blocks)

async function standAt(name: string, number: number, blockAt: number) {
  const text = `INSERT INTO chain_cursor VALUES (31337, $1, $2, '0x1', $3, $3)`
  await service.database.pool.run({ name: 'test-other-cursor', text }, [name, number, blockAt])
}

const scrape = () => {
  const { clock, chain } = service
  const { pool: db } = service.database
  const { refusedWrites } = db
  return service.ask('/metrics', (app) =>
    addMetrics(app, openMetrics({ db, clock, chain, refusedWrites, journal: { pendingCount: 0 } })),
  )
}

const minute = 60_000
const hour = 60 * minute
const ledger = 'the books of splits'
test.each([
  [`${ledger}, a final block and twenty minutes behind the newest`, 'distributions', 400, 20 * minute, true],
  [`${ledger}, hundreds of final blocks behind`, 'distributions', 1_000, 40 * minute, false],
  ['the hourly look, an hour and a half ago', 'transfers-closed', 3_000, 100 * minute, true],
  ['the hourly look, three hours ago', 'transfers-closed', 5_400, 200 * minute, false],
  ['the daily look, a day ago', 'transfers-old', 44_000, 24 * hour + 40 * minute, true],
  ['the daily look, two days ago', 'transfers-old', 86_400, 48 * hour, false],
])('%s: judged by its own period', async (_, name, blocksBehind, msBehind, isWell) => {
  await see({ latest: 100_000, final: 99_600, finalAgoMs: 13 * minute, cursor: 100_000 })
  await standAt(name, 100_000 - blocksBehind, service.clock.now() - msBehind)
  const { status, checks } = (await service.readiness()).json()
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
    kind: '23505',
    reason: 'duplicate key value violates unique constraint "payment_pkey"',
    tries: 3,
  }
  beforeEach(async () => {
    await see({ latest: 100, cursor: 98 })
    const now = service.clock.now()
    const since = (now - 90_000) as UnixMs
    await saveDeferred(service.database.pool, { ...item, since, nextTry: (now + 10_000) as UnixMs })
  })

  test('is shown with its reason to whoever may read the figures', async () => {
    const { status, checks } = (await service.readiness()).json()
    expect(status).toBe('degraded')
    expect(checks.deferred).toMatchObject({
      ok: false,
      count: 1,
      jobs: [{ job: 'scan-transfers', kind: '23505', count: 1 }],
      items: [item],
    })
    const { body } = await scrape()
    expect(body.split('\n')).toContain('sluice_deferred_items{job="scan-transfers",kind="23505"} 1')
    expect(body.split('\n')).toContain('sluice_deferred_seconds 90')
    expect(body).not.toContain(item.merchant)
  })

  test('is counted, and not named, to everybody else', async () => {
    const response = await service.readiness({}, { 'x-forwarded-for': '203.0.113.9' })
    expect(response.json().checks.deferred).toMatchObject({ ok: false, count: 1 })
    expect(response.body).not.toContain(item.merchant)
    expect(response.body).not.toContain('order-7')
    expect(response.body).not.toContain('payment_pkey')
  })
})

test('a transaction of the service that no block takes for ten minutes is told of', async () => {
  await see({ latest: 100, cursor: 98 })
  await insertOutgoing(service.database.pool, {
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
    createdAt: (service.clock.now() - 700_000) as UnixMs,
    sentAt: undefined,
    minedBlock: undefined,
  })
  const { status, checks } = (await service.readiness()).json()
  expect([status, checks.outgoingTransactions]).toEqual([
    'degraded',
    { ok: false, stuck: 1, oldestSeconds: 700 },
  ])
})
