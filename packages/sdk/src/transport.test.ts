import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import {
  ApiError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  RequestTimeoutError,
  ServerError,
  Sluice,
  type SluiceOptions,
  UnauthorizedError,
  UnavailableError,
  UnexpectedResponseError,
} from './sluice.ts'

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

async function serve(...script: RequestListener[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const respond = script[Math.min(seen.length, script.length - 1)]
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    respond?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const say =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'x-correlation-id': 'c-1', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
const hangUp: RequestListener = (request) => void request.socket.destroy()
const refuse = (status: number, error: string, extras = {}) =>
  say(status, { error, message: error, ...extras })
const made = say(201, { id: 'a', paymentUrl: 'https://x', status: 'pending' })
const client = (url: string, options: Partial<SluiceOptions> = {}) =>
  new Sluice({ baseUrl: url, key: 'sk_test_1', retry: { backoffMs: 1 }, ...options })
const errorOf = (call: Promise<unknown>) => call.catch((thrown: unknown) => thrown)
const receipt = { id: 'a', lineItems: [{ label: 'Beans', amount: 5 }] }

test('a request has the key, the query and the body', async () => {
  const { url, seen } = await serve(say(200, { receipts: [], nextCursor: null }), made)
  await client(`${url}/`).receipts.list({ limit: 5, cursor: undefined }, { correlationId: 'mine' })
  await client(url).receipts.create(receipt)
  expect(seen[0]).toMatchObject({
    method: 'GET',
    url: '/api/receipts?limit=5',
    headers: { 'ocp-apim-subscription-key': 'sk_test_1', 'x-correlation-id': 'mine' },
  })
  expect(seen[0]?.headers).not.toHaveProperty('idempotency-key')
  expect(JSON.parse(seen[1]?.body ?? '')).toEqual(receipt)
})

test('a POST keeps its Idempotency-Key over lost connections, outages and limits', async () => {
  const resetAt = Date.now() + 1
  const { url, seen } = await serve(
    hangUp,
    refuse(503, 'datastore_unavailable'),
    refuse(429, 'rate_limited', { resetAt }),
    refuse(409, 'idempotency_conflict'),
    made,
  )
  expect(await client(url).receipts.create(receipt)).toMatchObject({ id: 'a' })
  expect(seen).toHaveLength(5)
  const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']))
  expect([...keys][0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys.size).toBe(1)
})

test('each call has its own Idempotency-Key, unless the caller passes one', async () => {
  const { url, seen } = await serve(made)
  await client(url).receipts.create(receipt)
  await client(url).receipts.create(receipt)
  await client(url).receipts.create(receipt, { idempotencyKey: 'mine' })
  const keys = seen.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(3)
  expect(keys[2]).toBe('mine')
})

test('a request that could take effect twice is never retried', async () => {
  const { url, seen } = await serve(hangUp)
  await expect(client(url).products.change('a', { name: 'b' })).rejects.toThrow(ConnectionError)
  await expect(client(url).products.archive('a')).rejects.toThrow(ConnectionError)
  await expect(client(url).webhooks.test('https://x')).rejects.toThrow(ConnectionError)
  expect(seen.map(({ method }) => method)).toEqual(['PATCH', 'DELETE', 'POST'])
})

test('a rate-limited call waits until resetAt by the clock of the service', async () => {
  const serviceNow = Date.parse('2020-01-01T00:00:00Z')
  const headers = { date: new Date(serviceNow).toUTCString() }
  const limited = say(429, { error: 'rate_limited', message: 'slow', resetAt: serviceNow + 40 }, headers)
  const { url, seen } = await serve(limited, say(200, { status: 'ok' }))
  const startedAt = performance.now()
  expect(await client(url).isAlive()).toBe(true)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(39)
  expect(seen).toHaveLength(2)
})

test('a rate limit that lasts too long is an error with its end', async () => {
  const resetAt = Date.now() + 3_600_000
  const { url, seen } = await serve(refuse(429, 'rate_limited', { resetAt }))
  const error = await errorOf(client(url).isAlive())
  expect(error).toBeInstanceOf(RateLimitedError)
  expect(error).toMatchObject({ resetAt, code: 'rate_limited', status: 429 })
  expect(seen).toHaveLength(1)
})

test('each status has an error class, with code and correlation id', async () => {
  const classes = {
    400: InvalidRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: ApiError,
    500: ServerError,
  }
  const issues = [{ path: 'id', message: 'm' }]
  for (const [status, kind] of Object.entries(classes)) {
    const { url } = await serve(refuse(Number(status), 'some_code', { issues }))
    const error = await errorOf(client(url).receipts.get('a'))
    expect(error).toBeInstanceOf(kind)
    const reported = { status: Number(status), code: 'some_code', correlationId: 'c-1', name: kind.name }
    expect(error).toMatchObject(status === '400' ? { ...reported, issues } : reported)
  }
  const { url } = await serve(refuse(503, 'chain_unavailable'))
  await expect(client(url, { retry: { count: 0 } }).receipts.get('a')).rejects.toThrow(UnavailableError)
})

test('a timeout is an error of its own, after all retries', async () => {
  const { url, seen } = await serve(() => {})
  const impatient = client(url, { timeoutMs: 500, retry: { count: 1, backoffMs: 1 } })
  await expect(impatient.receipts.get('a')).rejects.toThrow(RequestTimeoutError)
  await expect.poll(() => seen.length).toBe(2)
})

test('an aborted call ends immediately with the reason, during a request and during a delay', async () => {
  const reason = new Error('the shop closes')
  const { url } = await serve(() => {})
  await expect(client(url).receipts.get('a', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const during = new AbortController()
  const hanging = client(url).receipts.get('a', { signal: during.signal })
  during.abort(reason)
  await expect(hanging).rejects.toBe(reason)

  const waiting = new AbortController()
  const { url: limited, seen } = await serve((request, response) => {
    refuse(429, 'rate_limited', { resetAt: Date.now() + 50_000 })(request, response)
    response.once('close', () => waiting.abort(reason))
  })
  await expect(client(limited).receipts.get('a', { signal: waiting.signal })).rejects.toBe(reason)
  expect(seen).toHaveLength(1)
})

test('the key does not follow a redirect', async () => {
  const other = await serve(say(200, { status: 'ok' }))
  const { url } = await serve(say(302, '', { location: other.url }))
  await expect(client(url, { retry: { count: 0 } }).isAlive()).rejects.toThrow(ConnectionError)
  expect(other.seen).toHaveLength(0)
})

test('the page of a proxy is not a response of the service', async () => {
  const { url } = await serve(say(200, '<h1>Welcome</h1>'))
  await expect(client(url).receipts.get('a')).rejects.toThrow(UnexpectedResponseError)
})

test('a refused connection is an error with its reason', async () => {
  const error = await errorOf(client('http://127.0.0.1:1', { retry: { count: 0 } }).isAlive())
  expect(error).toBeInstanceOf(ConnectionError)
  expect(String(error)).toMatch(/GET \/healthz: .*(ECONNREFUSED|bad port)/)
})

test('printing the client does not show the key', async () => {
  expect(inspect(client('http://127.0.0.1'), { depth: 9, showHidden: true })).not.toContain('sk_test_1')
})

test('an invalid URL or key is a TypeError', () => {
  expect(() => client('pay.example.com')).toThrow(TypeError)
  expect(() => client('http://x', { key: 'a\r\nb' })).toThrow(TypeError)
})

test.each([
  ['', ''],
  ['/', ''],
  ['/api', ''],
  ['/api/', ''],
  ['/pay//', '/pay'],
  ['/pay/api', '/pay'],
])('a base URL with the path %j sends requests to %j', async (path, before) => {
  const { url, seen } = await serve((_, response) => response.end('{"failureCodes":[]}'))
  await new Sluice({ baseUrl: ` ${url}${path}`, key: null }).listFailureCodes()
  expect(seen[0]?.url).toBe(`${before}/api/failure-codes`)
})

test.each([
  'pay.example',
  'ftp://pay.example',
  'https://a.example?x=1',
  'https://a.example#x',
  'https://u:p@a.example',
])('the base URL %s is invalid', (baseUrl) => expect(() => new Sluice({ baseUrl })).toThrow(TypeError))

test('a catalogue of several files is exported completely, with one header', async () => {
  const file = (row: string, next?: string): RequestListener => {
    return (_, response) => {
      if (next !== undefined) response.setHeader('x-next-cursor', next)
      response.setHeader('content-type', 'text/csv').end(`sku,name\r\n${row}\r\n`)
    }
  }
  const { url, seen } = await serve(file('a,"A\r\nB"', 'p 1'), file('b,B'))
  const { products } = new Sluice({ baseUrl: url, key: null })
  expect(await products.exportCsv()).toBe('sku,name\r\na,"A\r\nB"\r\nb,B\r\n')
  expect(seen.map((each) => each.url)).toEqual(['/api/inventory/export', '/api/inventory/export?cursor=p+1'])
})
