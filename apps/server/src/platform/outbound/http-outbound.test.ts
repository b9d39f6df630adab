import { createServer } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { get, listen, openOutbound, serve, watchLoopback } from '../../../test/support/api/outbound.ts'
import type { OutboundRequest } from './outbound.ts'

test('the answer comes with its status, headers and body', async () => {
  const url = await serve((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => response.writeHead(201, { 'X-Two': ['a', 'b'] }).end(`${request.method} ${body}`))
  })
  const post = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'größe' } as const
  const outcome = await openOutbound().request(get(`${url}/a?b=c`, post))
  expect(outcome).toMatchObject({ kind: 'response', status: 201, headers: { 'x-two': 'a,b' } })
  expect(outcome.kind === 'response' && Buffer.from(outcome.body).toString()).toBe('POST größe')
})

test('a redirect is an answer and is not followed', async () => {
  const { port, connectionCount } = await watchLoopback()
  const url = await serve((_, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end(),
  )
  expect(await openOutbound().request(get(url))).toMatchObject({ kind: 'response', status: 307 })
  expect(connectionCount()).toBe(0)
})

test('a body beyond the limit fails or is left out, and its sender is cut off', async () => {
  let sent = 0
  const url = await serve((_, response) => {
    const more = (): void => {
      sent += 65_536
      if (sent < 500_000_000 && response.write(Buffer.alloc(65_536))) setImmediate(more)
    }
    response.on('drain', more)
    more()
  })
  const outbound = openOutbound()
  expect(await outbound.request(get(url))).toMatchObject({ kind: 'error', error: 'too-large' })
  const cut = await outbound.request(get(url, { isBodyOptional: true }))
  expect(cut).toMatchObject({ kind: 'response', status: 200 })
  expect(cut.kind === 'response' && cut.body.byteLength).toBe(1_000)
  expect(sent).toBeLessThan(50_000_000)
})

test('a body of just the limit is whole', async () => {
  const url = await serve((_, response) => response.end(Buffer.alloc(1_000)))
  const outcome = await openOutbound().request(get(url))
  expect(outcome.kind === 'response' && outcome.body.byteLength).toBe(1_000)
})

describe('where the body is optional, the status is the answer', () => {
  const headers = 'HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\n'
  const responseOf = async (text: string, more: Partial<OutboundRequest> = {}, end = (_: Socket) => {}) => {
    const port = await listen(createTcpServer((socket) => socket.write(text, () => end(socket))))
    return openOutbound().request(get(`http://127.0.0.1:${port}/`, { isBodyOptional: true, ...more }))
  }
  const ways: [string, Parameters<typeof responseOf>][] = [
    ['does not end in time', [`${headers}{`, { timeoutMs: 500 }]],
    ['ends early', [`${headers}{`, {}, (socket) => socket.end()]],
    ['is no valid chunk', ['HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n']],
    [
      'comes after 60 kB of headers',
      [headers.replace('\r\n', `\r\nx-a: ${'a'.repeat(60_000)}\r\n`), { timeoutMs: 500 }],
    ],
  ]
  test.each(ways)('although the body %s', async (_, asked) => {
    expect(await responseOf(...asked)).toMatchObject({ kind: 'response', status: 201 })
  })

  test('and not where none has come', async () => {
    expect(await responseOf('HTTP/1.1 103 Early Hints\r\n\r\n', { timeoutMs: 150 })).toMatchObject({
      error: 'timeout',
    })
    expect(await responseOf('HTTP/1.1 2', {}, (socket) => socket.end())).toMatchObject({ error: 'network' })
  })
})

describe('the time limit holds', () => {
  test('for a server that never answers', async () => {
    const url = await serve(() => {})
    expect(await openOutbound().request(get(url, { timeoutMs: 50 }))).toMatchObject({ error: 'timeout' })
  })

  test('for a body that drips', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('.'), 5)
      response.on('close', () => clearInterval(drip))
    })
    expect(await openOutbound().request(get(url, { timeoutMs: 60 }))).toMatchObject({ error: 'timeout' })
  })

  test('for a server that accepts and says nothing in TLS', async () => {
    const port = await listen(createTcpServer(() => {}))
    const outcome = await openOutbound().request(get(`https://127.0.0.1:${port}/`, { timeoutMs: 50 }))
    expect(outcome).toMatchObject({ error: 'timeout' })
  })

  test('for a name server that never answers', async () => {
    const outbound = openOutbound({ targets: 'public', resolve: () => new Promise(() => {}) })
    expect(await outbound.request(get('https://slow.example.com/', { timeoutMs: 50 }))).toMatchObject({
      error: 'timeout',
    })
  })
})

test("the caller's own signal ends the request", async () => {
  const url = await serve(() => {})
  const stop = new AbortController()
  const outcome = openOutbound().request(get(url, { signal: stop.signal }))
  stop.abort()
  expect(await outcome).toMatchObject({ kind: 'error', error: 'aborted' })
})

test('no listener, a closed connection, nonsense and a self-signed nobody are network faults', async () => {
  const nonsense = await listen(createTcpServer((socket) => socket.end('nonsense\r\n\r\n')))
  const closing = await listen(createTcpServer((socket) => socket.destroy()))
  const outbound = openOutbound()
  const here = [1, closing, nonsense].map((port) => `http://127.0.0.1:${port}/`)
  for (const url of [...here, `https://127.0.0.1:${nonsense}/`, 'http://no-such-name.invalid/'])
    expect(await outbound.request(get(url)), url).toMatchObject({ kind: 'error', error: 'network' })
})

test('at most four sockets are open to one receiver', async () => {
  let open = 0
  let most = 0
  const server = createServer((_, response) => setTimeout(() => response.end(), 20))
  server.on('connection', (socket) => {
    most = Math.max(most, ++open)
    socket.on('close', () => open--)
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const outbound = openOutbound()
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => outbound.request(get(url))))
  expect(outcomes.every((outcome) => outcome.kind === 'response')).toBe(true)
  expect(most).toBe(4)
})

test('requests to a receiver one after the other share a connection', async () => {
  let connections = 0
  const server = createServer((_, response) => response.end())
  server.on('connection', () => connections++)
  const url = `http://127.0.0.1:${await listen(server)}`
  const outbound = openOutbound()
  for (let i = 0; i < 5; i++) expect(await outbound.request(get(url))).toMatchObject({ kind: 'response' })
  expect(connections).toBe(1)
})

test.each([
  ['first', 0],
  ['second', 1],
])('with the %s waiting for its connection, two hanging requests hold up no other to that receiver', async (_, nth) => {
  const url = await serve((request, response) => void (request.url === '/hangs' || response.end()))
  let asked = 0
  const resolve = () => (asked++ === nth ? new Promise<string[]>(() => {}) : Promise.resolve(['127.0.0.1']))
  const outbound = openOutbound({ resolve })
  const named = url.replace('127.0.0.1', 'receiver.test')
  const stop = new AbortController()
  const hanging = ['/hangs', '/hangs'].map((path) =>
    outbound.request(get(named + path, { signal: stop.signal })),
  )
  for (let i = 0; i < 3; i++) expect(await outbound.request(get(named))).toMatchObject({ kind: 'response' })
  stop.abort()
  for (const outcome of await Promise.all(hanging)) expect(outcome).toMatchObject({ error: 'aborted' })
  expect(await outbound.request(get(named))).toMatchObject({ kind: 'response' })
})
