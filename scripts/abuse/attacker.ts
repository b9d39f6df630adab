/** The attacker, a separate process, so that its CPU time does not count as slowness of the service. */
import { randomInt } from 'node:crypto'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { Target } from './abuse.ts'

// A real attacker has its own processors. Here, the service and the watcher come first.
setPriority(10)
const target = JSON.parse(process.argv[2] ?? '{}') as Target
const { hostname, port } = new URL(target.baseUrl)
const agent = new Agent({
  keepAlive: true,
  maxSockets: target.connections,
  maxTotalSockets: target.connections,
})
const until = Date.now() + target.seconds * 1000
const statuses: Record<string, number> = {}
const count = (what: string | number) => {
  statuses[what] = (statuses[what] ?? 0) + 1
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const word = (length: number) => Array.from({ length }, () => alphabet[randomInt(62)]).join('')
const pick = <T>(from: readonly T[]): T => from[randomInt(from.length)] as T

/** Returns a nonexistent key with a valid checksum, so that the service has to look it up. */
function madeUpKey(): string {
  const body = `sk_test_${word(43)}`
  let sum = ''
  for (let rest = crc32(body); sum.length < 6; rest = Math.floor(rest / 62)) sum = alphabet[rest % 62] + sum
  return body + sum
}

/** Returns the wallet's address with random letter case. */
function spelling(): string {
  return `0x${[...target.wallet.slice(2)]
    .map((digit) => (randomInt(2) ? digit.toUpperCase() : digit.toLowerCase()))
    .join('')}`
}

type Asked = { method?: string; path: string; headers?: Record<string, string>; body?: string; from?: string }

const json = { 'content-type': 'application/json' }
const questions: Readonly<Record<string, () => Asked>> = {
  'long-lists': () => ({
    path: pick([
      `/api/receipts?limit=${randomInt(1, 201)}`,
      `/api/receipts?limit=200&x=${word(8)}`,
      `/api/receipts?limit=${randomInt(1, 201)}&cursor=${Buffer.from(`${Date.now() + randomInt(1e6)}:x`).toString('base64url')}`,
    ]),
    headers: { 'ocp-apim-subscription-key': target.key },
  }),
  'open-pages': () => ({
    path: `/pay/${pick(target.receiptIds)}/status?recipient=${spelling()}`,
    from: anAddress(),
  }),
  'made-up-receipts': () => ({
    method: 'POST',
    path: `/api/checkout/${word(40)}/attempts?recipient=${spelling()}`,
    headers: json,
    body: '{"token":"USDC"}',
  }),
  guesses: () => ({
    path: pick([
      `/pay/${randomInt(1e6)}?recipient=${target.wallet}`,
      `/pay/R-${randomInt(1e6)}/status`,
      '/docs/',
      `/docs/search?q=${'refund+webhook+'.repeat(6)}`,
      '/docs/api',
      '/openapi.json',
      '/readyz',
      '/metrics',
    ]),
  }),
  'bad-keys': () => ({
    path: `/api/receipts?limit=1`,
    headers: { 'ocp-apim-subscription-key': madeUpKey() },
  }),
  pdfs: () => ({
    path: `/receipt/${target.paidId}.pdf?recipient=${spelling()}&lang=${pick(['en', 'de', 'fr', 'ja', 'ar', 'zh'])}`,
    from: anAddress(),
  }),
  searches: () => ({
    path: pick([
      `/api/inventory?q=${word(2)}`,
      `/api/inventory?q=product&limit=${randomInt(1, 201)}`,
      `/api/inventory?sort=${pick(['name', 'sku', 'priceUsd', 'stockQty', 'updatedAt'])}&order=${pick(['asc', 'desc'])}`,
      `/api/inventory?category=c${randomInt(50)}&priceMin=${randomInt(600)}`,
    ]),
    headers: { 'x-merchant-wallet': target.largeShop },
    from: anAddress(),
  }),
  'many-keys': () => ({
    path: `/api/receipts?limit=${randomInt(1, 201)}`,
    headers: randomInt(2)
      ? { 'ocp-apim-subscription-key': pick(target.keys) }
      : { cookie: `cb_auth_token=${word(300)}` },
  }),
  'frozen-database': () => ({
    path: '/api/receipts?limit=1',
    headers: { 'ocp-apim-subscription-key': target.key },
  }),
}

/** Sends requests without a pause until the time is up. */
async function askOn(question: () => Asked): Promise<void> {
  while (Date.now() < until) await askOnce(question())
}

function askOnce({ method = 'GET', path, headers = {}, body, from }: Asked): Promise<IncomingHttpHeaders> {
  return new Promise((resolve) => {
    const address = from === undefined ? {} : { localAddress: from }
    const sent = request({ hostname, port, agent, method, path, headers, ...address }, (response) => {
      count(response.statusCode ?? 0)
      response.on('data', () => {})
      response.on('end', () => resolve(response.headers))
      response.on('error', () => resolve({}))
    })
    sent.setTimeout(30_000, () => sent.destroy(new Error('no answer')))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      count(error.code ?? error.message)
      setTimeout(() => resolve({}), 100)
    })
    sent.end(body)
  })
}

/** Orders 50 units of a product at a time, as a browser does, and starts each payment. */
async function orderStock(): Promise<void> {
  const { slug, productId, priceCents } = target.shop
  const form = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: target.baseUrl,
    'sec-fetch-site': 'same-origin',
  }
  const qty = 50
  while (Date.now() < until) {
    const from = anAddress()
    const post = (path: string, fields: Record<string, string>, more: Record<string, string> = {}) => {
      const body = new URLSearchParams(fields).toString()
      return askOnce({
        method: 'POST',
        path: `/shop/${slug}${path}`,
        headers: { ...form, ...more },
        body,
        from,
      })
    }
    const added = await post('/cart', { add: productId, qty: String(qty) })
    const cookie = added['set-cookie']?.[0]?.split(';')[0]
    if (cookie === undefined) continue
    const sent = { [`qty:${productId}`]: String(qty), total: String(qty * priceCents) }
    const placed = await post('/checkout', sent, { cookie })
    const id = /^\/pay\/(R-\w{26})$/.exec(placed.location ?? '')?.[1]
    const path = `/api/checkout/${id}/attempts`
    if (id) await askOnce({ method: 'POST', path, headers: json, body: '{"token":"USDC"}', from })
  }
}

/** Opens a connection, sends the beginning, then sends more every second. Reconnects until the time is up. */
async function holdOn(beginning: () => string, more: string, from: () => string): Promise<void> {
  while (Date.now() < until) {
    await new Promise<void>((resolve) => {
      const localAddress = from()
      const place = { port: Number(port), host: hostname, ...(localAddress && { localAddress }) }
      const socket = connect(place, () => socket.write(beginning()))
      socket.once('data', (chunk) => count(String(chunk).slice(9, 12)))
      const timer = setInterval(() => {
        if (Date.now() >= until) socket.destroy()
        else socket.write(more)
      }, 1_000)
      socket.on('error', () => {})
      socket.on('close', () => {
        clearInterval(timer)
        setTimeout(resolve, 200)
      })
    })
  }
}

/**
 * Paths that accept a body from a stranger. The first is limited as a write, the second as a login; the third
 * does not exist.
 */
const bodyPaths = ['/api/receipts/status', '/api/auth/login', '/nowhere']

/**
 * Returns one of 4,000 loopback addresses, if available; a single address admits only the first hundred
 * writes.
 */
function anAddress(): string {
  return process.platform === 'linux' ? `127.0.${randomInt(1, 17)}.${randomInt(1, 255)}` : hostname
}

function work(): Promise<void> {
  const { name } = target
  if (name === 'pipelining') {
    const requests = `GET /api/site/config HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`.repeat(1_000)
    return holdOn(() => requests, requests, anAddress)
  }
  if (name === 'slow-bodies')
    return holdOn(
      () =>
        `POST ${pick(bodyPaths)} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{`,
      ' ',
      anAddress,
    )
  if (name === 'stock') return orderStock()
  const question = questions[name]
  if (!question) throw new Error(`there is no ${name}`)
  return askOn(question)
}

await Promise.race([
  Promise.all(Array.from({ length: target.connections }, work)),
  sleep(target.seconds * 1000 + 5_000),
])
process.stdout.write(`${JSON.stringify(statuses)}\n`)
process.exit(0)
