import { existsSync, readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test as each, expect, vi } from 'vitest'
import { Semaphore } from '../../../src/kernel/turns/semaphore.ts'
import { findProcesses, until } from '../../../src/platform/process/process.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { type DataCopy, makeEmptyData } from '../../support/kill/data.ts'
import { payFor, sales, waitForEnd } from '../../support/kill/sale.ts'
import { spawnSeeded } from '../../support/kill/seeded.ts'
import { type ServiceProcess, spawnService } from '../../support/kill/service.ts'
import { openShop } from '../../support/kill/shop.ts'
import { findServicePort } from '../../support/programs/service-port.ts'
import { measureOwnMs } from '../../support/programs/waited-for-processor.ts'
import { createInTwoParts, openRaw, startLoad } from './stop-load.ts'

vi.setConfig({ testTimeout: 1_800_000 })
const stopLimitMs = 10_000
const script = sales.tokenToDeposit
/** `RESTARTS=20` takes some minutes. */
const restartCount = Number(process.env.RESTARTS ?? '2')
// Concurrent stops slow one another down, so only two are measured at a time.
const semaphore = new Semaphore(2)
const { concurrent } = each
const test = (name: string, body: () => Promise<void>) => concurrent(name, () => semaphore.run(body))

function running({ dataDir }: DataCopy): string[] {
  const programs: string[] = []
  findProcesses(({ program, args }) => {
    if (args.some((arg) => arg.includes(dataDir))) programs.push(program)
    return false
  })
  return programs
}

/**
 * Sends SIGTERM. Returns the exit and the milliseconds until the exit, without the time spent waiting for a
 * CPU.
 */
async function measureStop(service: ServiceProcess) {
  const ownMs = measureOwnMs([service.pid])
  const watching = setInterval(ownMs, 100)
  service.signal('SIGTERM')
  const ending = await service.ended
  clearInterval(watching)
  return { ending, ms: ownMs() }
}

async function stopWell(data: DataCopy, service: ServiceProcess, withinMs = stopLimitMs): Promise<number> {
  const { ending, ms } = await measureStop(service)
  expect(ending, service.said()).toEqual({ code: 0, signal: null })
  expect(ms).toBeLessThan(withinMs)
  expect(running(data)).toEqual([])
  return ms
}

test(`${restartCount} stops under load cut no accepted request, and each next start goes on from there`, async () => {
  const first = await spawnSeeded()
  const { data, port, local } = first
  const shop = await openShop(local, [local.baseUrl])
  const acknowledged: string[] = []
  const stopsMs: number[] = []
  let service: ServiceProcess = first
  for (let round = 0; round < restartCount; round++) {
    const played = script.map((sale) => ({ ...sale, id: `${sale.id}-${round}` }))
    const { length } = shop.receiver.received
    shop.receiver.behave = () => 'hang'
    for (const sale of played) await payFor(shop, sale)
    expect(await until(() => shop.receiver.received.length > length, 60_000)).toBe(true)
    const load = startLoad(local, 12, `load-${round}`)
    expect(await until(() => load.acknowledgedCount() > 100, 60_000)).toBe(true)
    const [start, rest] = createInTwoParts(local, `half-said-${round}`)
    const half = await openRaw(local.baseUrl, start)
    await until(() => false, 100)

    const stopping = stopWell(data, service)
    const { said } = service
    await until(() => said().includes('"msg":"stopping"'), 60_000)
    half.socket.write(rest)
    stopsMs.push(Math.round(await stopping))
    const outcome = await load.stop()
    acknowledged.push(...outcome.acknowledged)
    expect(half.heard()).toMatch(/^HTTP\/1\.1 201 /)
    expect(half.heard()).toMatch(new RegExp(`"id":"half-said-${round}".*\\}$`, 's'))
    expect(outcome.refused).toEqual([])

    shop.receiver.behave = () => 200
    service = spawnService({ dataDir: data.dataDir, port })
    await service.ready
    const text = `SELECT id FROM receipt WHERE merchant = $1 AND id LIKE 'load-%'`
    const kept = await shop.db.rows<{ id: string }>({ name: '', text }, [local.merchant.address])
    const ids = kept.map(({ id }) => id).sort()
    expect(ids, 'what was kept is what was acknowledged').toEqual(acknowledged.toSorted())
    const sold = played.map(({ id }) => id)
    await waitForEnd(shop, sold)
  }
  console.log(
    `${restartCount} stops: at most ${Math.max(...stopsMs)} ms; ${acknowledged.length} acknowledged, 0 cut`,
  )
  expect(await findBroken(shop.db, local.rpcUrl)).toEqual([])
  await stopWell(data, service)
  await shop.close()
  await data.remove()
})

test('clients that hold their connections do not hold up a stop', async () => {
  const service = await spawnSeeded()
  const { data, local } = service
  const [halfBody] = createInTwoParts(local, 'never-finished')
  const clients = await Promise.all([
    openRaw(local.baseUrl, ''),
    openRaw(local.baseUrl, 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
    openRaw(local.baseUrl, 'GET /healthz HTTP/1.1\r\nHost:'),
    openRaw(local.baseUrl, halfBody),
    openRaw(
      local.baseUrl,
      `GET /api/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${local.subscriptionKey}\r\n\r\n`,
    ),
  ])
  const areServed = () => clients[1].heard().includes('ok') && clients[4].heard().includes('data:')
  expect(await until(areServed, 60_000)).toBe(true)
  await stopWell(data, service)
  for (const { socket } of clients) socket.destroy()
  await data.remove()
})

test('a kept connection that is used again as the stop begins is answered, and told that it ends', async () => {
  const service = await spawnSeeded()
  const { data, local } = service
  const request = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
  const kept = await openRaw(local.baseUrl, request)
  const responses = () => kept.heard().match(/HTTP\/1\.1 200/g)?.length ?? 0
  expect(await until(() => responses() === 1, 60_000)).toBe(true)
  const stopping = stopWell(data, service)
  await until(() => service.said().includes('"msg":"stopping"'), 60_000)
  kept.socket.write(request)
  await stopping
  expect(responses()).toBe(2)
  expect(kept.heard()).toMatch(/connection: close/i)
  await data.remove()
})

test('a closed terminal stops the service, its database and its chain', async () => {
  const service = await spawnSeeded()
  service.signal('SIGHUP')
  expect(await service.ended, service.said()).toEqual({ code: 0, signal: null })
  expect(running(service.data)).toEqual([])
  await service.data.remove()
})

test('an endpoint of the chain that does not answer does not hold up a stop', async () => {
  const data = await makeEmptyData()
  const database = await makeTestDatabase()
  const endpoint = createServer()
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  let isAsked = false
  endpoint.on('connection', () => {
    isAsked = true
  })
  const service = spawnService({
    dataDir: data.dataDir,
    port: await findServicePort(),
    settings: {
      DATABASE_URL: database.url,
      RPC_URLS: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`,
      CHAIN_ID: '31337',
      SLUICE_MASTER_KEY: 'a master key of this test, long enough',
    },
  })
  await service.ready
  expect(await until(() => isAsked, 60_000)).toBe(true)
  // Less than the eight seconds after which the request itself times out.
  await stopWell(data, service, 7_500)
  endpoint.close()
  await database.drop()
  await data.remove()
})

const aSchema = 'a schema'

const momentsOfAStart: readonly (readonly [
  what: string,
  isSo: (data: DataCopy, service: ServiceProcess) => boolean,
])[] = [
  ['nothing yet', () => true],
  ['a process beside it', (data) => running(data).length > 1],
  ['a cluster being made', (data) => running(data).some((program) => program.endsWith('/initdb'))],
  ['a database', (data) => running(data).some((program) => program.endsWith('/postgres'))],
  ['a chain', (data) => running(data).some((program) => program.endsWith('/anvil'))],
  [aSchema, (_, service) => service.said().includes('"msg":"migrated"')],
  ['a shop', (data) => existsSync(join(data.dataDir, 'journal', '0', 'service.pid'))],
]

test('a stop while the service starts leaves nothing running and nothing half written, whatever it was at', async () => {
  let data = await makeEmptyData()
  const port = await findServicePort()
  for (const [what, isSo] of momentsOfAStart) {
    if (what === aSchema) {
      // The previous stop may have come after the schema was created, which is logged only once.
      await data.remove()
      data = await makeEmptyData()
    }
    const service = spawnService({ dataDir: data.dataDir, port })
    service.ready.catch(() => {})
    expect(await until(() => isSo(data, service), 60_000), what).toBe(true)
    const { ending, ms } = await measureStop(service)
    expect(ms, `${what}\n${service.said()}`).toBeLessThan(stopLimitMs)
    expect([what, running(data)]).toEqual([what, []])
    // Before the service handles signals, SIGTERM kills it.
    if (what !== 'nothing yet') expect([what, ending.code, service.said()]).toEqual([what, 0, service.said()])
    expect([what, halfWritten(data)]).toEqual([what, []])
  }
  const service = spawnService({ dataDir: data.dataDir, port })
  await service.ready
  await stopWell(data, service)
  await data.remove()
})

test('a stop while a database that was left behind is taken over ends that one too', async () => {
  const dead = await spawnSeeded()
  const { data, port } = dead
  dead.signal('SIGKILL')
  await dead.ended
  expect(running(data).length).toBeGreaterThan(1)
  const service = spawnService({ dataDir: data.dataDir, port })
  service.ready.catch(() => {})
  expect(await until(() => existsSync(join(data.dataDir, 'service.pid')), 60_000)).toBe(true)
  expect(await until(() => service.said().includes('took over'), 60_000)).toBe(true)
  await stopWell(data, service)
  await data.remove()
})

function halfWritten({ dataDir }: DataCopy): string[] {
  if (!existsSync(dataDir)) return []
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((path) => /\.new-\w+/.test(path))
}
