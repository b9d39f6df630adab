import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openBench } from '../bench/open-bench.ts'
import { runChild } from '../bench/run-child.ts'
import type { OrderLoad, OrderRates } from './order-load.ts'
import { products, type ShopName } from './shops.ts'
import { startVendure, vendureVersion } from './start-vendure.ts'

const help = `Usage: npm run bench:beside [-- --seconds N] [--rounds N] [--connections N]

Puts the same orders through Sluice and through Vendure ${vendureVersion}, which it installs from npm into a temporary folder: three
products, a buyer who was never there before, no payment. Both keep them in the same PostgreSQL, and are measured in
turns. Prints orders placed and read in a second, and the ratio.

  --seconds N      of each measurement (default: 10)
  --rounds N       both, so many times in turns (default: 3)
  --connections N  (default: 16)
`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(help)
else await run()

async function run(): Promise<void> {
  const bench = await openBench({ count: 1_000, keyCount: 8 })
  try {
    const vendure = await startVendure(await makeDatabase(bench.databaseUrl))
    try {
      await addProducts(bench)
      const urls = { sluice: bench.url, vendure: vendure.url }
      const load = (shop: ShopName, seconds: number) => {
        const input: OrderLoad = {
          shop,
          url: urls[shop],
          keys: bench.keys,
          connections: Number(values.connections),
          seconds,
        }
        return runChild<OrderRates>('../beside/order-load.ts', input)
      }
      for (const shop of ['sluice', 'vendure'] as const) await load(shop, 3)
      for (let round = 0; round < Number(values.rounds); round++) {
        const ours = await load('sluice', Number(values.seconds))
        const theirs = await load('vendure', Number(values.seconds))
        for (const work of ['place', 'read'] as const) print(work, ours, theirs)
      }
    } finally {
      await vendure.stop()
    }
  } finally {
    await bench.stop()
  }
}

function print(work: 'place' | 'read', ours: OrderRates, theirs: OrderRates): void {
  const rate = ({ perSecond, p50 }: OrderRates['place']) =>
    `${perSecond.toFixed(0)}/s (p50 ${p50.toFixed(1)} ms)`
  const ratio = (ours[work].perSecond / theirs[work].perSecond).toFixed(1)
  const load = loadavg()[0]?.toFixed(1)
  console.log(
    `${work.padEnd(5)} Sluice ${rate(ours[work])}, Vendure ${rate(theirs[work])}: × ${ratio}; load ${load}`,
  )
}

/** An empty database beside that of the service. @returns its URL. */
async function makeDatabase(serviceUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: serviceUrl })
  await client.connect()
  await client.query('CREATE DATABASE vendure')
  await client.end()
  const url = new URL(serviceUrl)
  url.pathname = '/vendure'
  return url.href
}

async function addProducts({ url, keys }: { url: string; keys: readonly string[] }): Promise<void> {
  for (const product of products) {
    const answer = await fetch(`${url}/api/inventory`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': keys[0] ?? '' },
      body: JSON.stringify(product),
    })
    if (!answer.ok) throw new Error(`the product was not taken: ${answer.status} ${await answer.text()}`)
  }
}
