import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { RequestsAhead, StoppableRequest } from './requests-ahead.ts'

const request = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function listen(limits: { perConnection: number; inAll: number }) {
  const ahead = new RequestsAhead(limits)
  const waiting: ServerResponse[] = []
  const parsed = { count: 0 }
  class Counted extends StoppableRequest {
    constructor(socket: Socket) {
      super(socket)
      parsed.count++
    }
  }
  const server = createServer({ IncomingMessage: Counted }, ({ socket }, response) => {
    if (ahead.admits(socket, response)) waiting.push(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  stops.push(() => server.close().closeAllConnections())
  const send = (text: string) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text)).on('error', () => {})
    stops.push(() => socket.destroy())
    return socket.resume()
  }
  const respondToAll = () => {
    for (const response of waiting.splice(0)) response.end()
  }
  return { waiting, parsed, send, respondToAll }
}

test('what a connection has sent beyond what it may is not even parsed', async () => {
  const { send, parsed, waiting } = await listen({ perConnection: 4, inAll: 100 })
  const flood = send(request.repeat(1_000))
  await once(flood, 'close')
  expect(waiting.length, 'one, and four ahead of its answer').toBe(5)
  expect(parsed.count).toBeLessThanOrEqual(7)
})

test('all connections together have a bound, which nobody meets who waits for his answers', async () => {
  const { send, waiting, respondToAll } = await listen({ perConnection: 4, inAll: 6 })
  send(request.repeat(5))
  send(request.repeat(3))
  await expect.poll(() => waiting.length).toBe(8)
  await once(send(request.repeat(2)), 'close')
  for (let i = 0; i < 3; i++) send(request)
  // The first request of the closed connection was admitted.
  await expect.poll(() => waiting.length).toBe(12)
  respondToAll()
  const again = send(request.repeat(5))
  await expect.poll(() => waiting.length).toBe(5)
  expect(again.destroyed).toBe(false)
})

test('who hangs up before his answers makes room for others', async () => {
  const { send, waiting } = await listen({ perConnection: 4, inAll: 2 })
  const gone = send(request.repeat(3))
  await expect.poll(() => waiting.length).toBe(3)
  gone.destroy()
  await expect.poll(() => waiting.every(({ destroyed }) => destroyed)).toBe(true)
  send(request.repeat(3))
  await expect.poll(() => waiting.length).toBe(6)
})
