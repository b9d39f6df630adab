import { randomBytes, randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { runCli, type StartedService } from '../run/running-service.ts'
import type { Target } from './abuse.ts'

/** Two tenants: a quiet one that reads its few receipts, and a loud one that attacks. */
export type Tenants = {
  readonly quiet: { readonly key: string }
  readonly loud: Omit<Target, 'name' | 'baseUrl' | 'connections' | 'seconds'>
}

/** Below the limit of 100 writes per minute for each tenant. */
const longReceipts = 90

/** Initial stock of the product that strangers reserve. */
export const stockInShop = 1_000

/** Creates the tenants and their receipts: 20 short ones, and as many with 500 lines as a minute allows. */
export async function prepare(service: StartedService): Promise<Tenants> {
  const [quiet, loud] = [addMerchant(service), addMerchant(service)]
  const post = async (key: string, body: object) => {
    const response = await fetch(`${service.baseUrl}/api/receipts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': key },
      body: JSON.stringify(body),
    })
    if (response.status !== 201) throw new Error(`a receipt was not made: ${await response.text()}`)
  }
  const line = (i: number) => ({ label: `${i} ${'x'.repeat(190)}`, priceUsd: 1 })
  for (let i = 0; i < 20; i++) await post(quiet.key, { id: `quiet-${i}`, lineItems: [line(i)], totalUsd: 1 })
  const receiptIds: string[] = []
  for (let i = 0; i < longReceipts; i++) {
    const id = `long-${i}`
    await post(loud.key, { id, lineItems: Array.from({ length: 500 }, (_, j) => line(j)), totalUsd: 500 })
    receiptIds.push(id)
  }
  const paidId = 'in-many-scripts'
  const lineItems = Array.from({ length: 500 }, () => ({ label: mixedText(200), priceUsd: 1 }))
  await post(loud.key, { id: paidId, lineItems, totalUsd: 500 })
  const keys = [loud.key, ...Array.from({ length: 11 }, () => addKey(service, loud.wallet))]
  return { quiet, loud: { ...loud, keys, receiptIds, paidId, ...(await fill(service, loud.wallet, paidId)) } }
}

const ranges = [0x41, 0x391, 0x410, 0x627, 0x5d0, 0xe01, 0xac00, 0x4e00, 0x905, 0x3041] as const

/** Returns random text that mixes ten scripts. */
function mixedText(length: number): string {
  const characters = Array.from({ length }, () => (ranges[randomInt(ranges.length)] ?? 0x41) + randomInt(24))
  return String.fromCodePoint(...characters)
}

/** Adds 60,000 products to a shop, marks a receipt as paid, and stocks a product in the demo shop. */
async function fill(service: StartedService, wallet: string, paidId: string) {
  const sku = 'scarce'
  const made = await fetch(`${service.baseUrl}/api/inventory`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': service.subscriptionKey },
    body: JSON.stringify({ sku, name: 'Scarce', priceUsd: 5, stockQty: stockInShop }),
  })
  const { item } = (await made.json()) as { item: { id: string } }
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  const merchant = wallet.toLowerCase()
  const { rows } = await client.query('SELECT slug FROM shop WHERE lower(merchant) = lower($1)', [
    service.merchant.address,
  ])
  await client.query(
    `INSERT INTO product (merchant, id, sku, name, description, price_cents, stock, taxable, category, tags, images,
        attributes, status, created_at, updated_at)
      SELECT merchant, 'p' || i, 's' || i, 'Product ' || md5(i::text), repeat(md5(i::text) || ' ', 20), i, -1, false,
        'c' || i % 50, '[]', '[]', '{}', 'active', i, i
      FROM merchant, generate_series(1, 60000) AS i WHERE lower(merchant) = $1`,
    [merchant],
  )
  await client.query("UPDATE receipt SET status = 'paid' WHERE lower(merchant) = $1 AND id = $2", [
    merchant,
    paidId,
  ])
  await client.end()
  return { largeShop: wallet, shop: { slug: rows[0].slug, productId: item.id, priceCents: 500 } }
}

function addMerchant(service: StartedService): { key: string; wallet: string } {
  const wallet = `0x${randomBytes(20).toString('hex')}`
  const made = runCli(service, 'merchant', 'create', wallet, '--name', 'Abuse')
  return { wallet, key: made.subscription.primaryKey }
}

function addKey(service: StartedService, wallet: string): string {
  return runCli(service, 'key', 'create', '--merchant', wallet).primaryKey
}

/** Returns the process IDs of the service's embedded PostgreSQL and of its children. */
export function postgresOf({ dataDir }: StartedService): number[] {
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  const main = Number(readFileSync(file, 'utf8').split('\n', 1)[0])
  const isChild = (pid: number) => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) === main
    } catch {
      return false
    }
  }
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return [main, ...pids.filter(isChild)]
}
