import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addDrain, closeHttp, type Drain } from '../../../src/app/http/close-http.ts'
import { addReadiness } from '../../../src/app/probes/health.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { findNewestMigrationFile } from '../../../src/platform/database/opening/migrate.ts'
import { until } from '../../../src/platform/process/process.ts'
import { startApi, type TestApi } from '../../support/api/start-api.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'
import { wellParts } from './probed-service.ts'

const patienceMs = 15_000
const database = perFile(makeTestDatabase)
let api: TestApi
let app: FastifyInstance
let drain: Drain
let port: number
let sockets: Socket[]

beforeEach(async () => {
  sockets = []
  const newestMigration = await findNewestMigrationFile()
  const clock = new TestClock()
  api = await startApi({
    beside: { database, clock },
    extend(extended) {
      drain = addDrain(extended)
      const factory = async () => ({ kind: 'stands' }) as const
      const { refusedWrites } = database.pool
      const needs = { db: database.pool, clock, chain: { id: 31337 }, newestMigration, factory, drain }
      addReadiness(extended, { ...needs, refusedWrites, ...wellParts })
    },
  })
  app = api.app
  port = Number(new URL(api.url).port)
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  app.server.closeAllConnections()
  await api.stop()
})

async function open(text = '', localAddress = '127.0.0.1'): Promise<Socket & { heard: string }> {
  const options = { port, host: '127.0.0.1', localAddress, allowHalfOpen: true }
  const socket = Object.assign(connect(options), { heard: '' })
  sockets.push(socket)
  socket.on('error', () => {})
  socket.setEncoding('utf8').on('data', (chunk) => {
    socket.heard += chunk
  })
  await once(socket, 'connect')
  if (text) socket.write(text)
  return socket
}

function ask(path: string, agent?: Agent) {
  return new Promise<{ status?: number; connection?: string | undefined; code?: string }>((resolve) => {
    const request = get({ port, host: '127.0.0.1', path, agent }, (response) => {
      const { statusCode = 0, headers } = response
      response.resume().on('end', () => resolve({ status: statusCode, connection: headers.connection }))
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? error.message }))
  })
}

const typed = 'Content-Type: application/json\r\nContent-Length: 9'
test.each([
  ['a body', `POST /api/receipts/status HTTP/1.1\r\nHost: h\r\n${typed}\r\n\r\n{`],
  ['headers', 'GET /healthz HTTP/1.1\r\nHost: h\r\nX-Slow: '],
  ['nothing at all', ''],
])('a client that sends %s too slowly is ended within a second of the thirty it has, even if it stays', async (_, text) => {
  const { requestTimeout, headersTimeout } = app.server
  expect({ requestTimeout, headersTimeout }).toEqual({ requestTimeout: 30_000, headersTimeout: 30_000 })
  // The timeouts are checked at intervals. A long interval could extend even a short timeout to a minute.
  app.server.requestTimeout = 500
  app.server.headersTimeout = 500
  const client = await open(text)
  expect(await until(() => client.readableEnded || client.closed, patienceMs)).toBe(true)
  if (text) expect(client.heard).toMatch(/^HTTP\/1\.1 400 .*"The request was sent too slowly"/s)
  // The client keeps its side open, so the server must close the connection.
  const count = () => new Promise<number>((resolve) => app.server.getConnections((_error, n) => resolve(n)))
  expect(await until(async () => (await count()) === 0, patienceMs)).toBe(true)
})

test('no more connections are taken than the cap, kept ones make room, and it is said once', async () => {
  expect(app.server.maxConnections).toBe(8_192)
  app.server.maxConnections = 3
  const kept = await Promise.all([1, 2, 3].map(() => open('GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n')))
  expect(await until(() => kept.every(({ heard }) => heard.includes('"ok"')), patienceMs)).toBe(true)
  expect((await ask('/healthz')).status, 'one too many').toBeUndefined()
  expect(await until(async () => (await ask('/healthz')).status === 200, patienceMs)).toBe(true)
  const said = 'connections are rejected: the limit of open connections is reached'
  expect(api.logged.map(({ msg }) => msg)).toEqual([said])
})

test('an address keeps no more than 256 connections without a request, and takes none from others', async () => {
  const request = 'GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n'
  const isAnswered = (socket: { heard: string }) => until(() => socket.heard.includes('"ok"'), patienceMs)
  const used = await open(request)
  expect(await isAnswered(used)).toBe(true)
  const silent: Socket[] = []
  const openMore = async (count: number) => {
    for (let n = 0; n < count; n++) silent.push(await open('', '127.0.0.2'))
  }
  const left = () => silent.filter(({ closed, readableEnded }) => !closed && !readableEnded).length
  await openMore(300)
  expect(left(), 'a burst may be more').toBe(300)
  app.server.maxConnections = 301
  await api.clock.advance(5_000)
  const refused = await open('', '127.0.0.3')
  expect(await until(() => refused.closed || refused.readableEnded, patienceMs)).toBe(true)
  expect(await until(() => left() === 256, patienceMs), 'one too many makes room').toBe(true)
  const other = await open(request, '127.0.0.3')
  expect(await isAnswered(other)).toBe(true)
  await openMore(1)
  expect(await until(() => left() === 256, patienceMs), 'the oldest makes room for a newer one').toBe(true)
  expect(used.closed).toBe(false)
})

test('a connection may send 64 requests ahead of their answers, is ended with more, and nobody else messages', async () => {
  const request = 'GET /api/site/config HTTP/1.1\r\nHost: h\r\n\r\n'
  const polite = await open(request.repeat(64))
  const responses = () => polite.heard.match(/HTTP\/1\.1 200/g)?.length
  expect(await until(() => responses() === 64, patienceMs)).toBe(true)
  polite.write(request)
  expect(await until(() => responses() === 65, patienceMs)).toBe(true)

  const flood = await open(request.repeat(20_000))
  expect(await until(() => flood.closed, patienceMs)).toBe(true)
  expect(flood.heard.match(/HTTP/g)?.length ?? 0).toBeLessThanOrEqual(64)
  expect((await ask('/api/site/config')).status).toBe(200)
})

test('a stop says so on /readyz first, takes leave of kept connections with their answers, and resets nobody', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const responses: Awaited<ReturnType<typeof ask>>[] = []
  // Behaves like clients behind a proxy: after `Connection: close`, a client opens its next connection
  // elsewhere.
  const load = [1, 2, 3, 4].map(async () => {
    for (;;) {
      const response = await ask('/healthz', agent)
      responses.push(response)
      if (response.connection === 'close' || response.code !== undefined) return
    }
  })
  expect(await until(() => responses.length > 40, patienceMs)).toBe(true)
  let isClosed = false
  const closing = closeHttp({ clock: systemClock }, app, { drain, announceMs: 1_000 }).then(() => {
    isClosed = true
  })
  expect((await ask('/readyz')).status, 'new connections are taken meanwhile').toBe(503)
  expect(isClosed).toBe(false)
  await closing
  await Promise.all(load)
  agent.destroy()
  expect(responses.filter(({ status }) => status !== 200)).toEqual([])
  expect(responses.filter(({ connection }) => connection === 'close').length, 'each was told once').toBe(4)
})
