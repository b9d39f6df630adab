import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { OutboundRequest } from './outbound.ts'
import { HttpOutbound, type HttpOutboundOptions } from './outbound-http.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

function openOutbound(options: Partial<HttpOutboundOptions> = {}): HttpOutbound {
  const outbound = new HttpOutbound({ clock: systemClock }, { targets: 'any', allowHttp: true, ...options })
  cleanups.push(() => outbound.close())
  return outbound
}

async function listen(server: Server | TcpServer, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  cleanups.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`
}

function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: 'GET', url, timeoutMs: 5_000, maxResponseBytes: 1_000, ...more }
}

/** Everything that reaches this machine's own addresses, by any name, on one port. */
async function watchLoopback(): Promise<{ port: number; connectionCount: () => number }> {
  let connectionCount = 0
  const server = createTcpServer((socket) => {
    connectionCount += 1
    socket.destroy()
  })
  return { port: await listen(server, '::'), connectionCount: () => connectionCount }
}

const loopbackHosts = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '2130706433.',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '0177.0000.0000.0001',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.0x0.0x0.0x1',
  '0x7F.1',
  '127.0x0.00.1',
  '%31%32%37.0.0.1',
  '127。0。0。1',
  '127.0.0.1',
  '①②⑦.⓪.⓪.①',
  'localhost',
  'LOCALHOST',
  'LocalHost.',
  'localhost..',
  'api.localhost',
  'a.b.localhost.',
  '0',
  '0.0.0.0',
  '0.0.0.0.',
  '0x0',
  '00',
  '0000.0000.0000.0000',
  '0.1.2.3',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0001]',
  '[::]',
  '[0::0]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:0.0.0.0]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:0001::1]',
  '[2001:0:7f00:1::]',
  '[fe80::1%25lo]',
  '[fe80::1%lo]',
]

const privateHosts = [
  '10.0.0.1',
  '0xa000001',
  '167772161',
  '012.0.0.1',
  '10.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '0xc0a80001',
  '3232235521',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[fd00:ec2::254]',
  'metadata.google.internal',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '0xffffffff',
  '4294967295',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fdff::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[5f00::1]',
  'printer.local',
  'router.home.arpa',
  'intranet',
]

describe('with public targets only', () => {
  test('no spelling of an address that is not public gets a connection', async () => {
    const { port, connectionCount } = await watchLoopback()
    const asked: string[] = []
    const outbound = openOutbound({
      targets: 'public',
      resolve: async (hostname) => {
        asked.push(hostname)
        return ['127.0.0.1']
      },
    })
    const hosts = [...new Set([...loopbackHosts, ...privateHosts])]
    expect(hosts.length).toBeGreaterThanOrEqual(80)
    for (const host of hosts) {
      const outcome = await outbound.request(get(`http://${host}:${port}/hook`, { timeoutMs: 2_000 }))
      expect({ host, outcome }).toMatchObject({ outcome: { kind: 'fault', fault: 'refused-target' } })
    }
    expect(connectionCount()).toBe(0)
    expect(asked).toEqual([])

    const anything = openOutbound()
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0'])
      await anything.request(get(`http://${host}:${port}/hook`))
    expect(connectionCount(), 'the log sees the connections there are').toBe(7)
  })

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['10.0.0.5']],
    [['169.254.169.254']],
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['2606:4700:4700::1111', '::1']],
  ])('a name that leads to %j is refused', async (addresses) => {
    const { port, connectionCount } = await watchLoopback()
    const outbound = openOutbound({ targets: 'public', resolve: async () => addresses })
    const outcome = await outbound.request(get(`http://hook.example.com:${port}/`, { timeoutMs: 2_000 }))
    expect(outcome).toMatchObject({ kind: 'fault', fault: 'refused-target' })
    expect(connectionCount()).toBe(0)
  })

  test('a name is looked up once for a connection, so a second answer has nobody to mislead', async () => {
    const { port, connectionCount } = await watchLoopback()
    let lookups = 0
    const outbound = openOutbound({
      targets: 'public',
      resolve: async () => (lookups++ % 2 === 0 ? ['192.0.2.1', '127.0.0.1'] : ['127.0.0.1']),
    })
    for (let i = 1; i <= 6; i++) {
      const outcome = await outbound.request(get(`http://rebind.example.com:${port}/`, { timeoutMs: 2_000 }))
      expect(outcome).toMatchObject({ kind: 'fault', fault: 'refused-target' })
      expect(lookups).toBe(i)
    }
    expect(connectionCount()).toBe(0)
  })

  test('plain http is refused unless it is allowed', async () => {
    const outbound = openOutbound({ targets: 'public', allowHttp: false, resolve: async () => ['127.0.0.1'] })
    const outcome = await outbound.request(get('http://hook.example.com/'))
    expect(outcome).toEqual({ kind: 'fault', fault: 'refused-target', detail: 'not-https' })
  })
})

test('the answer comes with its status, headers and body', async () => {
  const url = await serve((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => response.writeHead(201, { 'X-Two': ['a', 'b'] }).end(`${request.method} ${body}`))
  })
  const outcome = await openOutbound().request({
    ...get(`${url}/a?b=c`),
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'größe',
  })
  expect(outcome).toMatchObject({ kind: 'answer', status: 201, headers: { 'x-two': 'a,b' } })
  expect(outcome.kind === 'answer' && Buffer.from(outcome.body).toString()).toBe('POST größe')
})

test('a redirect is an answer and is not followed', async () => {
  const { port, connectionCount } = await watchLoopback()
  const url = await serve((_, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end(),
  )
  expect(await openOutbound().request(get(url))).toMatchObject({ kind: 'answer', status: 307 })
  expect(connectionCount()).toBe(0)
})

test('a body beyond the limit fails or is cut, and its sender is cut off', async () => {
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
  expect(await outbound.request(get(url))).toMatchObject({ kind: 'fault', fault: 'too-large' })
  const cut = await outbound.request(get(url, { whenTooLarge: 'cut' }))
  expect(cut).toMatchObject({ kind: 'answer', status: 200 })
  expect(cut.kind === 'answer' && cut.body.byteLength).toBe(1_000)
  expect(sent).toBeLessThan(50_000_000)
})

test('a body of just the limit is whole', async () => {
  const url = await serve((_, response) => response.end(Buffer.alloc(1_000)))
  const outcome = await openOutbound().request(get(url))
  expect(outcome.kind === 'answer' && outcome.body.byteLength).toBe(1_000)
})

describe('the time limit holds', () => {
  test('for a server that never answers', async () => {
    const url = await serve(() => {})
    expect(await openOutbound().request(get(url, { timeoutMs: 50 }))).toMatchObject({ fault: 'timeout' })
  })

  test('for a body that drips', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('.'), 5)
      response.on('close', () => clearInterval(drip))
    })
    expect(await openOutbound().request(get(url, { timeoutMs: 60 }))).toMatchObject({ fault: 'timeout' })
  })

  test('for a server that accepts and says nothing in TLS', async () => {
    const port = await listen(createTcpServer(() => {}))
    const outcome = await openOutbound().request(get(`https://127.0.0.1:${port}/`, { timeoutMs: 50 }))
    expect(outcome).toMatchObject({ fault: 'timeout' })
  })

  test('for a name server that never answers', async () => {
    const outbound = openOutbound({ targets: 'public', resolve: () => new Promise(() => {}) })
    expect(await outbound.request(get('https://slow.example.com/', { timeoutMs: 50 }))).toMatchObject({
      fault: 'timeout',
    })
  })
})

test("the caller's own signal ends the request", async () => {
  const url = await serve(() => {})
  const stop = new AbortController()
  const outcome = openOutbound().request(get(url, { signal: stop.signal }))
  stop.abort()
  expect(await outcome).toMatchObject({ kind: 'fault', fault: 'aborted' })
})

test('no listener, a closed connection, nonsense and a self-signed nobody are network faults', async () => {
  const nonsense = await listen(createTcpServer((socket) => socket.end('nonsense\r\n\r\n')))
  const closing = await listen(createTcpServer((socket) => socket.destroy()))
  const outbound = openOutbound()
  for (const url of [
    'http://127.0.0.1:1/',
    `http://127.0.0.1:${closing}/`,
    `http://127.0.0.1:${nonsense}/`,
    `https://127.0.0.1:${nonsense}/`,
    'http://no-such-name.invalid/',
  ])
    expect({ url, outcome: await outbound.request(get(url)) }).toMatchObject({
      url,
      outcome: { kind: 'fault', fault: 'network' },
    })
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
  expect(outcomes.every((outcome) => outcome.kind === 'answer')).toBe(true)
  expect(most).toBe(4)
})
