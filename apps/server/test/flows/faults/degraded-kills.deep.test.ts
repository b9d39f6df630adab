import { randomInt } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import type { LocalJson } from '../../../src/local/local-settings.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { until } from '../../../src/platform/process/process.ts'
import { logIn } from '../../support/api/sessions.ts'
import { findPart, killPart } from '../../support/kill/parts.ts'
import { callerOf, copySeededData, type SeededService, spawnSeeded } from '../../support/kill/seeded.ts'
import type { ServiceProcess } from '../../support/kill/service.ts'
import { SupervisedService } from '../../support/kill/supervised-service.ts'
import { findServicePort } from '../../support/programs/service-port.ts'
import { measureOwnMs } from '../../support/programs/waited-for-processor.ts'
import { DegradedLoad } from './degraded-load.ts'
import { type ProbeResult, startProber } from './prober.ts'

vi.setConfig({ testTimeout: 3_600_000 })

const killCount = 10
/** Kills of the service and of PostgreSQL in turns: `KILLS=500` takes about half an hour. */
const randomKillCount = Number(process.env.KILLS ?? '10')
const patienceMs = 60_000
const backWithinMs = 5_000
const probeWithinMs = 1_000

/**
 * `awayMs` is the length of the outage. `backMs` is the time from its end to the first created receipt,
 * without the time spent waiting for a CPU.
 */
type Kill = { readonly at: number; readonly awayMs: number; readonly backMs: number }

test('PostgreSQL killed ten times under load loses no acknowledged write, and the service is back at once', async () => {
  const service = await spawnSeeded()
  const { data, local } = service
  const load = new DegradedLoad(local, join(data.dataDir, 'acknowledged'))
  const kills: Kill[] = []
  const prober = await startProber(local.baseUrl, data.dataDir, service.pid)
  prioritize(service)
  const shop = await startRenaming(local)
  await load.start()
  await waitUntil('the load runs', () => load.counts.acknowledged > 100)
  for (let number = 0; number < killCount; number++) kills.push(await killDatabase(service, load, number))
  const renamed = await shop.stop()
  const writesPerSecond = await load.stop()
  const probes = await prober.stop()
  const lost = await findLost(local, load)
  const loop = await readLoopDelay(local)
  console.log(report({ load, kills, probes, lost, writesPerSecond, loop }))

  expect(load.faults, service.said().slice(-4_000)).toEqual([])
  expect(lost, 'acknowledged writes that do not read back').toEqual([])
  expect(writesPerSecond).toBeGreaterThanOrEqual(50)
  expect(load.counts.refused).toBeGreaterThan(0)
  expect(load.counts.degraded).toBeGreaterThan(0)
  expect(Math.max(...kills.map(({ backMs }) => backMs))).toBeLessThan(backWithinMs)
  expect(probes.responses.filter(({ ownMs, status }) => status !== 200 || ownMs > probeWithinMs)).toEqual([])
  const shown = (await callerOf(local)('GET', '/api/shop/config')).body
  expect({ name: shown.config.name, degraded: shown.degraded }).toEqual({ name: renamed.lastName })
  expect(renamed.promised, 'renamed while the database was away').toBeGreaterThan(renamed.refused)
  expect(await service.stop()).toEqual({ code: 0, signal: null })
})

test(`${randomKillCount} kills of the service and of PostgreSQL at random moments lose no acknowledged write`, async () => {
  const data = await copySeededData()
  const service = new SupervisedService({ ...data, port: await findServicePort(), isShort: false })
  const local = await service.ready()
  const load = new DegradedLoad(local, join(data.dataDir, 'acknowledged'))
  await load.start()
  for (let number = 0; number < randomKillCount; number++) {
    const isOfDatabase = number % 2 === 1
    // A start that finds no database ends with code 1, and only a supervisor would repeat it.
    if (isOfDatabase) await service.untilReady()
    // A start takes about a second, so some kills of the service interrupt it.
    await pause(randomInt(200, 2_000))
    const { pid } = service
    if (isOfDatabase) await killPart(data, 'postgres')
    else service.kill()
    await waitUntil('another has come in its place', () => isOfDatabase || service.pid !== pid)
  }
  await service.untilReady()
  await load.stop()
  const current = await service.ready()
  await waitUntil('it is back', () => responds(current.databaseUrl))
  const lost = await findLost(current, load)
  const { acknowledged } = load.counts
  console.log(`${randomKillCount} kills: ${acknowledged} acknowledged writes, ${lost.length} lost`)
  expect(lost, 'acknowledged writes that do not read back').toEqual([])
  expect(acknowledged).toBeGreaterThan(10 * randomKillCount)
  expect(await service.stop()).toEqual({ code: 0, signal: null })
  await data.remove()
})

/**
 * Gives the service priority over its load and over other tests. Only root can do this; otherwise the test is
 * less exact.
 */
function prioritize(service: ServiceProcess): void {
  try {
    setPriority(service.pid, constants.priority.PRIORITY_HIGH)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
}

async function killDatabase(service: SeededService, load: DegradedLoad, number: number): Promise<Kill> {
  const { data, local } = service
  const pid = findPart(data, 'postgres')
  if (pid === undefined) throw new Error('there is no PostgreSQL to be killed')
  const at = Date.now()
  const countResumed = () => service.said().split('job notifications are received again').length
  const resumed = countResumed()
  process.kill(pid, 'SIGKILL')
  const isReplaced = () => ![pid, undefined].includes(findPart(data, 'postgres'))
  await waitUntil('another has come in its place', isReplaced)
  await waitUntil('it is back', () => responds(local.databaseUrl))
  const sinceReturn = measureOwnMs(['self', service.pid])
  const awayMs = Date.now() - at
  await waitUntil('money is taken', async () => (await load.makeReceipt(`back-${number}`, 200)) === 201)
  const backMs = Math.round(sinceReturn())
  // Until then, the service has no verified callers for another outage.
  await waitUntil('revocations are received', () => countResumed() > resumed)
  const { body } = await callerOf(local)('GET', '/api/receipts')
  if (body.degraded) throw new Error('a read was degraded after the return')
  return { at, awayMs, backMs }
}

async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await until(isSo, patienceMs))) throw new Error(`waited in vain: ${what}`)
}

async function responds(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {})
  const asking = client.connect().then(() => client.query('SELECT 1'))
  return asking.then(Boolean, () => false).finally(() => client.end().catch(() => {}))
}

/**
 * Renames the shop repeatedly. The returned function stops this and returns the last acknowledged name. A
 * rename is rejected if the service cannot check whether the session was revoked during an outage.
 */
async function startRenaming(local: LocalJson) {
  const call = callerOf(local)
  const { address, privateKey } = local.merchant
  const session = await logIn({ call }, { wallet: address, privateKey })
  let isOver = false
  const renaming = (async () => {
    const renamed = { lastName: '', promised: 0, refused: 0 }
    for (let n = 0; !isOver; n++) {
      const name = `Shop ${n}`
      const { status, body, text } = await call('POST', '/api/shop/config', { session, body: { name } })
      if (status === 200) renamed.lastName = name
      if (status === 200 && body.degraded) renamed.promised++
      if (status === 503 && body.error === 'datastore_unavailable') renamed.refused++
      else if (status !== 200) throw new Error(`the shop could not be renamed: ${status} ${text}`)
      await pause(200)
    }
    return renamed
  })()
  renaming.catch(() => {})
  return {
    stop() {
      isOver = true
      return renaming
    },
  }
}

async function findLost(local: LocalJson, load: DegradedLoad): Promise<string[]> {
  const call = callerOf(local)
  const db = new Pool({ url: local.databaseUrl, max: 1, log: makeLog('silent') })
  const lost: string[] = []
  const acknowledged = [...load.acknowledgements()]
  const check = async ([line, count]: [string, number]) => {
    const [kind, what = '', usd] = line.split(' ')
    if (kind === 'telemetry') {
      const isCounted = async () => (await countTelemetry(db, local, what)) >= count
      if (!(await until(isCounted, patienceMs)))
        lost.push(`${line}: ${count} times, counted ${await countTelemetry(db, local, what)}`)
      return
    }
    const { status, body, text } = await call('GET', `/api/receipts/${what}`)
    if (status !== 200 || body.totalUsd !== Number(usd)) lost.push(`${line}: ${status} ${text.slice(0, 200)}`)
  }
  const worker = async () => {
    for (let next = acknowledged.pop(); next; next = acknowledged.pop()) await check(next)
  }
  await Promise.all(Array.from({ length: 8 }, worker)).finally(() => db.close())
  return lost
}

async function countTelemetry(db: Pool, local: LocalJson, value: string): Promise<number> {
  const text = `SELECT count FROM receipt_telemetry WHERE merchant = $1 AND receipt_id = 'first' AND value = $2`
  const row = await db.row<{ count: bigint }>({ name: '', text }, [local.merchant.address, value])
  return Number(row?.count ?? 0n)
}

async function readLoopDelay(local: LocalJson): Promise<string> {
  const text = await (await fetch(`${local.baseUrl}/metrics`)).text()
  const read = (name: string) =>
    Math.round(Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1]) * 1000)
  return `max ${read('max')} ms, p99 ${read('p99')} ms`
}

function report(run: {
  load: DegradedLoad
  kills: readonly Kill[]
  probes: ProbeResult
  lost: readonly string[]
  writesPerSecond: number
  loop: string
}): string {
  const { counts, faults } = run.load
  const slowest = run.probes.responses.toSorted((a, b) => b.ms - a.ms).slice(0, 5)
  const sinceKill = (at: number) => {
    const kill = run.kills.findLast((each) => each.at <= at)
    return kill ? `${at - kill.at} ms after kill ${run.kills.indexOf(kill) + 1}` : 'before the first kill'
  }
  const acknowledged = [...run.load.acknowledgements().values()].reduce((sum, count) => sum + count, 0)
  return [
    `PostgreSQL killed ${run.kills.length} times under ${run.writesPerSecond.toFixed(0)} writes/s:`,
    `  writes ${counts.writes}: acknowledged ${counts.acknowledged}, refused ${counts.refused}; faults ${faults.length}`,
    `  acknowledged in all ${acknowledged}, not read back ${run.lost.length}`,
    `  reads ${counts.reads}, of which degraded ${counts.degraded}`,
    `  database away ms: ${run.kills.map(({ awayMs }) => awayMs).join(' ')}`,
    `  money taken, ms after its return: ${run.kills.map(({ backMs }) => backMs).join(' ')}`,
    `  probes ${run.probes.responses.length}, slowest: ${slowest.map(({ ms, at }) => `${ms} ms (${sinceKill(at)})`).join(', ')}`,
    `  event loop of the service: ${run.loop}; of the prober: max ${run.probes.ownDelayMs} ms`,
    ...faults.map((fault) => `  should not have been: ${fault}`),
    ...run.lost.map((line) => `  does not read back: ${line}`),
  ].join('\n')
}
