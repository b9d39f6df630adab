import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { Pool } from '../../src/platform/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts'
import { makeLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { until } from '../../src/platform/process.ts'
import { type DegradedService, startDegradedService } from '../support/degraded-service.ts'
import type { TestSession } from '../support/log-in.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const killCount = 10
const everyMs = 25
const writesPerSecond = 80
const backWithinMs = 5_000

type Tally = { writes: number; acknowledged: number; refused: number; degraded: number }

test('PostgreSQL killed ten times under load loses no acknowledged write, and the service is back at once', {
  timeout: 240_000,
}, async () => {
  const folder = await makeTemporaryFolder('degraded-kills')
  const log = makeLog('silent')
  const postgres = await startEmbeddedPostgres({ log }, { dataDir: folder.path })
  await migrate({ url: postgres.url, log })
  const pool = new Pool({ url: postgres.url, log })
  const spoolFolder = join(folder.path, 'spool')
  const service = await startDegradedService({ db: pool, clock: systemClock, spoolFolder })
  try {
    const acksFile = join(folder.path, 'acknowledged')
    await makeReceipt(service, 'first', acksFile)
    const load = startLoad(service, acksFile)
    let isOver = false
    const renaming = renameShop(service, await service.logIn(), () => isOver)
    await until(() => load.tally.acknowledged > 100, 30_000)
    for (let kill = 0; kill < killCount; kill++) {
      const degradedBefore = load.tally.degraded
      const { pid } = postgres
      process.kill(pid, 'SIGKILL')
      expect(await until(async () => !(await answers(postgres.url)), 20_000), 'it is gone').toBe(true)
      expect(await until(() => load.tally.degraded > degradedBefore + 3, 20_000), 'degraded reads').toBe(true)
      expect(await until(() => answers(postgres.url), 60_000), 'it is back').toBe(true)
      const backAt = performance.now()
      const isServing = async () => (await makeReceipt(service, `back-${kill}`, acksFile)) === 201
      expect(await until(isServing, 20_000), 'money is taken').toBe(true)
      expect(performance.now() - backAt).toBeLessThan(backWithinMs)
      expect((await service.call('GET', '/api/receipts')).body.degraded).toBeUndefined()
      expect(await until(() => postgres.pid !== pid, 20_000), 'its keeper knows it').toBe(true)
    }
    isOver = true
    const lastName = await renaming
    const { tally, seconds } = await load.stop()
    expect(tally.writes / seconds).toBeGreaterThanOrEqual(50)
    expect(tally.refused).toBeGreaterThan(0)
    expect(await until(() => service.spool.pendingCount === 0, 20_000), 'the promises are kept').toBe(true)
    expect(await findLost(service, acksFile)).toEqual([])
    expect((await service.call('GET', '/api/shop/config')).body.config.name).toBe(lastName)
  } finally {
    await service.stop()
    await pool.close()
    await postgres.stop()
    await folder.remove()
  }
})

/** Writes and reads without pause; whatever answer comes must be one that the contract has for it. */
function startLoad(service: DegradedService, acksFile: string) {
  const tally: Tally = { writes: 0, acknowledged: 0, refused: 0, degraded: 0 }
  const underWay = new Set<Promise<void>>()
  const faults: unknown[] = []
  const probes: number[] = []
  const startedAt = performance.now()
  const track = (work: Promise<void>) => {
    const done = work.catch((error) => void faults.push(error)).finally(() => underWay.delete(done))
    underWay.add(done)
  }
  const write = async (n: number) => {
    tally.writes += 1
    const status = n % 2 ? await makeReceipt(service, `r-${n}`, acksFile) : await tell(service, n, acksFile)
    if (status === 503) tally.refused += 1
    else tally.acknowledged += 1
  }
  const read = async () => {
    const [list, probe] = await Promise.all([service.call('GET', '/api/receipts?limit=5'), probeMs(service)])
    probes.push(probe)
    expect([200, 503]).toContain(list.status)
    if (list.status === 503) return
    expect(list.body.receipts.length).toBeGreaterThan(0)
    if (list.body.degraded) tally.degraded += 1
  }
  let n = 0
  let tick = 0
  const first = service.call('GET', '/api/receipts?limit=5')
  const timer = setInterval(() => {
    // A timer that was late makes up for it.
    const due = ((performance.now() - startedAt) / 1000) * writesPerSecond
    while (n < due) track(write(n++))
    if (++tick % 4 === 0) track(first.then(read))
  }, everyMs)
  return {
    tally,
    async stop() {
      clearInterval(timer)
      const seconds = (performance.now() - startedAt) / 1000
      await Promise.all(underWay)
      expect(faults).toEqual([])
      // The load runs in this very process: on a busy machine a single probe may wait for it.
      expect(probes.toSorted((a, b) => a - b)[Math.floor(probes.length * 0.95)]).toBeLessThan(1_000)
      return { tally, seconds }
    },
  }
}

async function makeReceipt(service: DegradedService, id: string, acksFile: string): Promise<number> {
  const body = { id, lineItems: [{ label: 'Tea', priceUsd: 2 }], totalUsd: 2 }
  const answer = await service.call('POST', '/api/receipts', { body })
  if (answer.status === 201) appendFileSync(acksFile, `receipt ${id}\n`)
  else {
    expect(answer.body.error).toBe('datastore_unavailable')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  return answer.status
}

async function tell(service: DegradedService, n: number, acksFile: string): Promise<number> {
  const status = `onramp_v${n % 30}`
  const body = { receiptId: 'first', wallet: service.merchant, status }
  const answer = await service.call('POST', '/api/receipts/status', { key: '', body })
  if (answer.status === 200) appendFileSync(acksFile, `telemetry first ${status}\n`)
  return answer.status
}

async function probeMs(service: DegradedService): Promise<number> {
  const startedAt = performance.now()
  expect((await service.call('GET', '/healthz')).status).toBe(200)
  return performance.now() - startedAt
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** Renames the shop again and again, each time when the last answer has come; gives the last name acknowledged. */
async function renameShop(service: DegradedService, session: TestSession, isOver: () => boolean) {
  let acknowledged = ''
  for (let n = 0; !isOver(); n++) {
    const name = `Shop ${n}`
    const answer = await service.call('POST', '/api/shop/config', { session, body: { name } })
    expect([200, 503]).toContain(answer.status)
    if (answer.status === 200) acknowledged = name
    await pause(200)
  }
  return acknowledged
}

/** Acknowledged writes that cannot be read back. */
async function findLost(service: DegradedService, acksFile: string): Promise<string[]> {
  const counted = await service.countTelemetry()
  const acks = readFileSync(acksFile, 'utf8').trim().split('\n')
  const lost: string[] = []
  for (const [line, { length }] of Map.groupBy(acks, (ack) => ack).entries()) {
    const [kind, ...rest] = line.split(' ')
    const what = rest.join(' ')
    const isThere =
      kind === 'telemetry'
        ? (counted.get(what) ?? 0) >= length
        : (await service.call('GET', `/api/receipts/status?receiptId=${what}`)).status === 200
    if (!isThere) lost.push(line)
  }
  return lost
}
