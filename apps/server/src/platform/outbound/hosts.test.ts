import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { get, listen, openOutbound, serve } from '../../../test/support/api/outbound.ts'
import { systemClock } from '../../kernel/clock.ts'

const okResponse = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const resolve = async () => ['127.0.0.1']

async function watchSockets(listener: RequestListener) {
  const open = new Set<Socket>()
  let most = 0
  const server = createServer(listener)
  server.on('connection', (socket) => {
    open.add(socket)
    setImmediate(() => {
      most = Math.max(most, open.size)
    })
    for (const end of ['end', 'error', 'close']) socket.once(end, () => open.delete(socket))
  })
  const port = await listen(server)
  return { port, openCount: () => open.size, most: () => most }
}

describe('nothing is kept of a host', () => {
  const names = (port: number) =>
    Array.from({ length: 100 }, (_, i) => `http://name-${i}.wildcard.test:${port}/`)

  test('whose requests timed out or were stopped', async () => {
    const { port, openCount } = await watchSockets(() => {})
    const outbound = openOutbound({ resolve })
    const stop = new AbortController()
    const timedOut = names(port).map((url) => outbound.request(get(url, { timeoutMs: 500 })))
    const stopped = names(port).map((url) => outbound.request(get(`${url}a`, { signal: stop.signal })))
    await expect.poll(() => outbound.hostCount).toBe(100)
    for (const outcome of await Promise.all(timedOut)) expect(outcome).toMatchObject({ error: 'timeout' })
    stop.abort()
    for (const outcome of await Promise.all(stopped)) expect(outcome).toMatchObject({ error: 'aborted' })
    await expect.poll(() => outbound.hostCount).toBe(0)
    await expect.poll(openCount).toBe(0)
  })

  test('that never answers for its name or in TLS', async () => {
    const silent = await listen(createTcpServer((socket) => socket.on('error', () => {})))
    const outbound = openOutbound({
      resolve: (name) => (name === 'tls.test' ? resolve() : new Promise(() => {})),
    })
    const urls = [...names(80), `https://tls.test:${silent}/`]
    const outcomes = await Promise.all(urls.map((url) => outbound.request(get(url, { timeoutMs: 100 }))))
    expect(outcomes.every((outcome) => outcome.kind === 'error' && outcome.error === 'timeout')).toBe(true)
    await expect.poll(() => outbound.hostCount).toBe(0)
  })

  test('that has no listener, is refused, or speaks no HTTP, several at once', async () => {
    const nonsense = await listen(createTcpServer((socket) => socket.end('nonsense\r\n\r\n')))
    const outbound = openOutbound({ targets: 'public', resolve })
    const anything = openOutbound({ resolve })
    const requests = names(80).flatMap((url) => Array.from({ length: 6 }, () => outbound.request(get(url))))
    for (const port of [1, nonsense])
      for (let i = 0; i < 6; i++) requests.push(anything.request(get(`http://name.test:${port}/`)))
    for (const outcome of await Promise.all(requests)) expect(outcome).toMatchObject({ kind: 'error' })
    await expect.poll(() => outbound.hostCount + anything.hostCount).toBe(0)
  })

  test('whose requests ended, once its connections have been idle for a second', async () => {
    const { port, openCount } = await watchSockets((_, response) => response.end('ok'))
    const outbound = openOutbound({ resolve })
    const requests = names(port).flatMap((url) => [get(url), get(url)].map((each) => outbound.request(each)))
    await expect.poll(() => outbound.hostCount).toBe(100)
    for (const outcome of await Promise.all(requests)) expect(outcome).toMatchObject({ kind: 'response' })
    await expect.poll(() => outbound.hostCount).toBe(0)
    await expect.poll(openCount).toBe(0)
  })

  test('to which a request could not even be written', async () => {
    const outbound = openOutbound()
    const broken = get('http://127.0.0.1:9/', { headers: { 'x-broken': 'a\nb' } })
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outbound.request(broken)))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ error: 'network' })
    await expect.poll(() => outbound.hostCount).toBe(0)
  })
})

test('a quick request is answered while three others to its host hang, and the fifth waits for a free one', async () => {
  const hanging: ServerResponse[] = []
  const { port, most } = await watchSockets((request, response) => {
    if (request.url === '/hangs') hanging.push(response)
    else response.end('quick')
  })
  const outbound = openOutbound()
  const url = `http://127.0.0.1:${port}`
  const hang = () => outbound.request(get(`${url}/hangs`))
  const first = [hang(), hang(), hang()]
  for (let i = 0; i < 5; i++) expect(await outbound.request(get(url))).toMatchObject({ kind: 'response' })
  first.push(hang())
  await expect.poll(() => hanging.length).toBe(4)
  const ended: string[] = []
  const fifth = outbound.request(get(url)).then(() => ended.push('fifth'))
  const sixth = outbound.request(get(url)).then(() => ended.push('sixth'))
  expect(await outbound.request(get(url, { timeoutMs: 50 }))).toMatchObject({ error: 'timeout' })
  expect(ended).toEqual([])
  hanging[2]?.end()
  await Promise.all([fifth, sixth])
  expect(ended).toEqual(['fifth', 'sixth'])
  for (const response of hanging) response.end()
  for (const outcome of await Promise.all(first)) expect(outcome).toMatchObject({ kind: 'response' })
  expect(most()).toBe(4)
})

test('never more than four sockets are open to a host, also when requests are broken off', async () => {
  const { port, most } = await watchSockets((request, response) => {
    if (request.url === '/large') response.write(Buffer.alloc(100_000))
    else if (request.url === '/last') response.writeHead(200, { connection: 'close' }).end()
    else if (request.url === '/breaks') request.socket.destroy()
    else if (request.url !== '/hangs') response.end()
  })
  const outbound = openOutbound()
  const paths = ['/hangs', '/large', '/last', '/breaks', '/', '/hangs']
  const outcomes = await Promise.all(
    Array.from({ length: 120 }, (_, i) => {
      const path = paths[i % paths.length] as string
      const timeoutMs = path === '/hangs' ? 30 + i * 3 : 10_000
      return outbound.request(get(`http://127.0.0.1:${port}${path}`, { timeoutMs }))
    }),
  )
  expect(outcomes.filter((outcome) => outcome.kind === 'response')).toHaveLength(40)
  expect(most()).toBe(4)
})

test('who waits for a connection and is stopped leaves the others their turn', async () => {
  const { port } = await watchSockets((request, response) => void (request.url === '/' && response.end()))
  const outbound = openOutbound()
  const url = `http://127.0.0.1:${port}/`
  const hanging = Array.from({ length: 4 }, () => outbound.request(get(`${url}hangs`, { timeoutMs: 150 })))
  const stop = new AbortController()
  const stopped = [1, 2, 3].map(() => outbound.request(get(url, { signal: stop.signal })))
  const last = outbound.request(get(url))
  stop.abort()
  for (const outcome of await Promise.all(stopped)) expect(outcome).toMatchObject({ error: 'aborted' })
  expect(await last).toMatchObject({ kind: 'response' })
  await Promise.all(hanging)
})

describe('a kept-alive connection that its peer closes as a request is written', () => {
  async function closeReused(times: number, close: (socket: Socket) => void) {
    let left = times
    let requestCount = 0
    const port = await listen(
      createTcpServer((socket) => {
        let isReused = false
        socket.on('error', () => {})
        socket.on('data', () => {
          requestCount += 1
          if (isReused && left-- > 0) close(socket)
          else socket.write(okResponse)
          isReused = true
        })
      }),
    )
    return { url: `http://127.0.0.1:${port}/`, requestCount: () => requestCount }
  }

  const ways: [string, (socket: Socket) => void][] = [
    ['ends', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ]

  test.each(ways)('is a network fault: the request is not sent twice (it %s)', async (_, close) => {
    const { url, requestCount } = await closeReused(1, close)
    const outbound = openOutbound()
    expect(await outbound.request(get(url))).toMatchObject({ kind: 'response' })
    expect(await outbound.request(get(url))).toMatchObject({ error: 'network' })
    expect(requestCount()).toBe(2)
  })
})

test('a process whose timers are late sends nothing after the time of a request', async () => {
  let requestCount = 0
  const url = await serve((_, response) => {
    requestCount += 1
    response.end()
  })
  const slow = () => new Promise<string[]>((found) => setTimeout(() => found(['127.0.0.1']), 100))
  const outbound = openOutbound({ resolve: slow }, { ...systemClock, after: () => () => {} })
  const late = get(url.replace('127.0.0.1', 'slow.test'), { timeoutMs: 50 })
  expect(await outbound.request(late)).toMatchObject({ error: 'timeout' })
  expect(requestCount).toBe(0)
})

test('closing ends requests under way, waiting and to come', async () => {
  const { port, openCount } = await watchSockets(() => {})
  const outbound = openOutbound()
  const ask = () => outbound.request(get(`http://127.0.0.1:${port}/`))
  const outcomes = Array.from({ length: 10 }, ask)
  await expect.poll(openCount).toBe(4)
  await Promise.all([outbound.close(), outbound.close()])
  for (const outcome of await Promise.all([...outcomes, ask()]))
    expect(outcome).toMatchObject({ error: 'network' })
  expect(outbound.hostCount).toBe(0)
  await expect.poll(openCount).toBe(0)
})

test('an answer in chunks of one byte is whole', async () => {
  const url = await serve((_, response) => {
    for (let i = 0; i < 1_000; i++) response.write(String(i % 10))
    response.end()
  })
  const outcome = await openOutbound().request(get(url))
  expect(outcome.kind === 'response' && String(outcome.body)).toBe('0123456789'.repeat(100))
})
