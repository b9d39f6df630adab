import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { runCommand } from '../run/run-command.ts'
import { repositoryRoot } from '../source/list-files.ts'
import { type Load, type LoadRequest, runLoad } from './load.ts'
import type { Figure } from './report.ts'

/** Version of Vendure to measure. Sluice contains no code of Vendure. */
export const vendureVersion = '3.7.3'

/**
 * Requests with which a shop accepts a new buyer's order for three products, without payment, and shows the
 * order.
 */
type Shop = {
  readonly url: string
  readonly place: LoadRequest
  /** Returns the order's reference, or `undefined` if the shop accepted no order. */
  orderOf(...response: Parameters<NonNullable<Load['onResponse']>>): string | undefined
  read(order: string): LoadRequest
}

const seconds = 10
const json = { 'content-type': 'application/json' }
const products = [
  { sku: 'beans', name: 'Espresso beans, 1 kg', priceUsd: 38 },
  { sku: 'papers', name: 'Filter papers, 100', priceUsd: 4.5 },
  { sku: 'delivery', name: 'Delivery', priceUsd: 6.9 },
]

/** Sends the same orders to Sluice and Vendure in turn, both on the same PostgreSQL server. */
export async function measurePeer(
  bench: { url: string; databaseUrl: string; keys: readonly string[] },
  rounds: number,
): Promise<Figure[]> {
  const ours = await openSluice(bench.url, bench.keys[0] ?? '')
  const vendure = await startVendure(bench.databaseUrl)
  try {
    const theirs = makeVendure(vendure.url)
    for (const shop of [ours, theirs]) await measureShop(shop, 3)
    const done: Record<'ours' | 'theirs', { place: number; read: number }>[] = []
    for (let i = 0; i < rounds; i++)
      done.push({ ours: await measureShop(ours, seconds), theirs: await measureShop(theirs, seconds) })
    return (['place', 'read'] as const).flatMap((work) => [
      { what: `${work} orders, a second`, values: done.map((round) => round.ours[work]) },
      {
        what: `${work} orders, Vendure, a second`,
        values: done.map((round) => round.theirs[work]),
        digits: 1,
      },
      {
        what: `${work} orders, times Vendure`,
        values: done.map((round) => round.ours[work] / round.theirs[work]),
        digits: 1,
        least: work === 'place' ? 15 : 4,
      },
    ])
  } finally {
    await vendure.stop()
  }
}

async function measureShop(shop: Shop, duration: number): Promise<{ place: number; read: number }> {
  const orders: string[] = []
  const placed = await runLoad({
    url: shop.url,
    seconds: duration,
    next: () => shop.place,
    onResponse(...response) {
      const order = shop.orderOf(...response)
      if (order === undefined) throw new Error(`${shop.url} took no order: ${response[1]}`)
      orders.push(order)
    },
  })
  const next = () => shop.read(orders[Math.floor(Math.random() * orders.length)] ?? '')
  const read = await runLoad({ url: shop.url, seconds: duration, next })
  return { place: placed.perSecond, read: read.perSecond }
}

async function openSluice(url: string, key: string): Promise<Shop> {
  const headers = { ...json, 'ocp-apim-subscription-key': key }
  for (const product of products) {
    const response = await fetch(`${url}/api/inventory`, {
      method: 'POST',
      headers,
      body: JSON.stringify(product),
    })
    if (!response.ok) throw new Error(`no product: ${response.status} ${await response.text()}`)
  }
  const order = { items: products.map(({ sku }) => ({ sku, qty: 1 })), jurisdictionCode: 'US-OR' }
  return {
    url,
    place: { method: 'POST', path: '/api/orders', headers, body: JSON.stringify(order) },
    orderOf: (_, text) => JSON.parse(text).receiptId,
    read: (id) => ({ method: 'GET', path: `/api/orders/${id}`, headers }),
  }
}

function makeVendure(url: string): Shop {
  const shown =
    'id code state totalWithTax lines { id quantity linePriceWithTax productVariant { sku name } }'
  const ask = (query: string, variables: object = {}, headers: Record<string, string> = {}): LoadRequest => ({
    method: 'POST',
    path: '/shop-api',
    headers: { ...json, ...headers },
    body: JSON.stringify({ query, variables }),
  })
  return {
    url,
    place: ask(
      `mutation ($inputs: [AddItemInput!]!) { addItemsToOrder(inputs: $inputs) { order { ${shown} } } }`,
      { inputs: products.map((_, i) => ({ productVariantId: String(i + 1), quantity: 1 })) },
    ),
    orderOf(headers, text) {
      const token = headers['vendure-auth-token']
      const isWhole = JSON.parse(text).data?.addItemsToOrder?.order?.lines.length === products.length
      return isWhole && typeof token === 'string' ? token : undefined
    },
    read: (token) => ask(`{ activeOrder { ${shown} } }`, {}, { authorization: `Bearer ${token}` }),
  }
}

/**
 * Installs Vendure from npm into `.cache`, unless already installed, and starts its shop on a new database.
 */
async function startVendure(databaseUrl: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = join(repositoryRoot, '.cache/vendure', vendureVersion)
  if (!existsSync(join(folder, 'node_modules/@vendure/core'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private": true}')
    const install = ['install', '--no-audit', '--no-fund', `@vendure/core@${vendureVersion}`, 'pg']
    const { exitCode, output } = await runCommand('npm', install, { cwd: folder })
    if (exitCode !== 0) throw new Error(`Vendure could not be installed:\n${output}`)
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('CREATE DATABASE vendure')
  await client.end()
  const url = new URL(databaseUrl)
  url.pathname = '/vendure'
  const program = fileURLToPath(new URL('vendure-shop.cjs', import.meta.url))
  const child = spawn(process.execPath, [program, folder, url.href], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('{"port"')) return { url: `http://127.0.0.1:${JSON.parse(line).port}`, stop }
  throw new Error('Vendure ended before it was ready')
}
