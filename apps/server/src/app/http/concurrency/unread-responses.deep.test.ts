import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { UnreadResponses } from './unread-responses.ts'

/** Larger than the socket buffers of both sides together. */
const longBody = Buffer.alloc(24 * 1024 * 1024, 'x')
const minute = 60_000

let server: Server
let sockets: Socket[] = []
let ended: Set<string>
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  server.closeAllConnections()
  server.close()
})

async function serve(limits: { bytes: number; idleMs: number }): Promise<UnreadResponses> {
  const unread = new UnreadResponses(limits)
  ended = new Set()
  server = createServer((request, response) => {
    const path = request.url ?? ''
    unread.watch(path, response)
    response.on('close', () => ended.add(path))
    response.end(path === '/short' ? 'short' : longBody)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return unread
}

async function ask(path: string): Promise<Socket> {
  const begun = once(server, 'request')
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1' })
  sockets.push(socket)
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`)
  await begun
  return socket
}

async function readAll(socket: Socket): Promise<number> {
  let count = 0
  for await (const chunk of socket) {
    count += (chunk as Buffer).length
    if (count > longBody.length) break
  }
  return count
}

test('together are bounded in bytes: the oldest of whoever holds most go, and nobody else loses his', async () => {
  const unread = await serve({ bytes: 3.5 * longBody.length, idleMs: minute })
  const quiet = await ask('/quiet')
  const loud: Socket[] = []
  for (let i = 0; i < 6; i++) {
    loud.push(await ask('/loud'))
    expect(unread.bytes).toBeLessThanOrEqual(3.5 * longBody.length)
  }
  expect(await readAll(quiet)).toBeGreaterThan(longBody.length)
  const [first] = loud
  expect(await readAll(first as Socket).catch(() => 0), 'the first was cut off').toBeLessThan(longBody.length)
  expect(await readAll(loud.at(-1) as Socket)).toBeGreaterThan(longBody.length)
})

test('of which nothing is taken are cut off in time, one that is read in small pieces is not', async () => {
  const unread = await serve({ bytes: 10 * longBody.length, idleMs: 2_000 })
  await ask('/idle')
  const slow = await ask('/slow')
  let count = 0
  while (!ended.has('/idle')) {
    count += slow.read(65_536)?.length ?? 0
    await pause(20)
  }
  expect(ended.has('/slow')).toBe(false)
  expect(count + (await readAll(slow))).toBeGreaterThan(longBody.length)
  await expect.poll(() => unread.bytes).toBe(0)
})

test('that are read at once are held for nobody, and leave a kept connection its time', async () => {
  const unread = await serve({ bytes: 1, idleMs: 200 })
  const socket = await ask('/short')
  const [first] = await once(socket, 'data')
  expect(String(first)).toContain('200 OK')
  socket.write('GET /short HTTP/1.1\r\nHost: h\r\n\r\n')
  const [second] = await once(socket, 'data')
  expect(String(second)).toContain('200 OK')
  await expect.poll(() => unread.bytes).toBe(0)
})
