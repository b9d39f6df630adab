import { loadavg } from 'node:os'
import pg from 'pg'
import { afterEach, test } from 'vitest'
import { fillReceipts } from '../../../../scripts/bench/fill-receipts.ts'
import { jobNames } from '../../src/platform/jobs/names.ts'
import { startApi, type TestApi, type TestMerchant } from '../support/api/start-api.ts'

const rows = Number(process.env.BENCH_RECEIPTS ?? 1_000_000)
const rounds = 60
const yearMs = 365 * 86_400_000
const now = Date.UTC(2026, 5, 1)
const begin = now - yearMs

let world: TestApi | undefined
afterEach(() => world?.stop())

/** Not a test of anything: `npm run bench:receipts` measures lists and summaries of very many receipts, and prints it. */
test('lists and summaries are measured', { timeout: 1_800_000 }, async () => {
  world = await startApi({ now })
  const merchant = await world.addMerchant()
  const client = new pg.Client({ connectionString: world.database.url })
  await client.connect()
  try {
    const started = performance.now()
    await fill(client, world, merchant)
    print(`${rows} receipts of one merchant, made in ${Math.round((performance.now() - started) / 1000)} s.`)
    print(`Pages of 100 and summaries over HTTP, beside the same page asked of PostgreSQL directly; ms.`)
    print(
      `load ${loadavg()
        .map((each) => each.toFixed(1))
        .join(' ')}`,
    )
    for (const [query, sql] of lists) await measureList(world, merchant, client, { query, sql })
    for (const query of summaries) {
      const times = await measure(() => ask(world as TestApi, merchant, `/api/receipts/summary?${query}`))
      print(row(`summary ${query || '(all)'}`, times))
    }
    print(
      `load ${loadavg()
        .map((each) => each.toFixed(1))
        .join(' ')}`,
    )
  } finally {
    await client.end()
  }
})

const day = (n: number) => begin + n * 86_400_000

/** A query of the list, and what the same asks of the table by hand. */
const lists: readonly (readonly [string, string])[] = [
  ['', 'true ORDER BY created_at DESC, id DESC'],
  ['sort=createdAt', 'true ORDER BY created_at, id'],
  ['sort=-amount', 'true ORDER BY total_cents DESC, id DESC'],
  ['sort=amount', 'true ORDER BY total_cents, id'],
  ['status=pending', "status = 'pending' ORDER BY created_at DESC, id DESC"],
  ['status=refund_requested', "status = 'refund_requested' ORDER BY created_at DESC, id DESC"],
  ['status=paid,reconciled', "status IN ('paid', 'reconciled') ORDER BY created_at DESC, id DESC"],
  ['currency=EUR', "currency = 'EUR' ORDER BY created_at DESC, id DESC"],
  [
    'currency=EUR&status=failed&sort=-amount',
    "currency = 'EUR' AND status = 'failed' ORDER BY total_cents DESC, id DESC",
  ],
  [
    `from=${day(100)}&to=${day(101)}`,
    `created_at >= ${day(100)} AND created_at < ${day(101)} ORDER BY created_at DESC, id DESC`,
  ],
  [
    `from=${day(30)}&to=${day(60)}&sort=-amount`,
    `created_at >= ${day(30)} AND created_at < ${day(60)} ORDER BY total_cents DESC, id DESC`,
  ],
  [
    `from=${day(100)}&to=${day(100) + 3_600_000}&sort=amount`,
    `created_at >= ${day(100)} AND created_at < ${day(100) + 3_600_000} ORDER BY total_cents, id`,
  ],
  ['min=100', 'total_cents >= 10000 ORDER BY created_at DESC, id DESC'],
  ['min=499.9', 'total_cents >= 49990 ORDER BY created_at DESC, id DESC'],
  ['min=250&max=250', 'total_cents = 25000 ORDER BY created_at DESC, id DESC'],
  [
    'currency=EUR&min=100&max=101',
    "currency = 'EUR' AND native_total_cents BETWEEN 10000 AND 10100 ORDER BY created_at DESC, id DESC",
  ],
  ['q=order-777777', "id = 'order-777777' ORDER BY created_at DESC, id DESC"],
  ['q=order-7777', "id LIKE 'order-7777%' ORDER BY created_at DESC, id DESC"],
  ['q=order-', "id LIKE 'order-%' ORDER BY created_at DESC, id DESC"],
  [
    'q=buyer777@example.com',
    "lower(provider_email) = 'buyer777@example.com' ORDER BY created_at DESC, id DESC",
  ],
  ['q=T-500000', "transaction_id = 'T-500000' ORDER BY created_at DESC, id DESC"],
  ['q=web', "metadata ->> 'channel' = 'web' ORDER BY created_at DESC, id DESC"],
  [
    'q=web&status=failed&sort=-amount',
    "metadata ->> 'channel' = 'web' AND status = 'failed' ORDER BY total_cents DESC, id DESC",
  ],
  [
    'q=0x0007a1&status=paid,reconciled',
    "id IN (SELECT receipt_id FROM payment WHERE tx_hash LIKE '0x0007a1%') ORDER BY created_at DESC, id DESC",
  ],
  [
    `status=paid&currency=USD&min=10&max=300&from=${day(200)}&sort=-amount`,
    `status = 'paid' AND currency = 'USD' AND total_cents BETWEEN 1000 AND 30000 AND created_at >= ${day(200)}
      ORDER BY total_cents DESC, id DESC`,
  ],
]

const summaries = [
  '',
  'status=paid',
  'currency=EUR',
  `from=${day(100) + 12_345}&to=${day(300) + 54_321}`,
  'interval=month',
  `interval=day&timezone=Asia/Kathmandu&from=${day(5)}`,
  `interval=hour&from=${now - 14 * 86_400_000}`,
  'q=order-7777',
  'q=web',
  'min=250&max=250',
  'min=100',
]

/** Receipts of the merchant, folded into the tallies and with fresh statistics. */
async function fill(
  client: pg.Client,
  { database, needs, run }: TestApi,
  { wallet }: TestMerchant,
): Promise<void> {
  const filling = { merchant: wallet, chainId: needs.chain.id, count: rows, begin, spanMs: yearMs }
  await fillReceipts(database.pool, filling)
  await run(jobNames.keepTallies)
  for (const table of ['receipt', 'receipt_term', 'payment', 'receipt_tally', 'receipt_tally_change'])
    await client.query(`VACUUM ANALYZE ${table}`)
}

async function measureList(
  api: TestApi,
  merchant: TestMerchant,
  client: pg.Client,
  { query, sql }: { query: string; sql: string },
): Promise<void> {
  let cursor: string | null = null
  const times = await measure(async () => {
    const more: string = cursor === null ? '' : `&cursor=${cursor}`
    const { body } = await ask(api, merchant, `/api/receipts?${query}${more}`)
    cursor = body.nextCursor
  })
  const bare = await measure(() =>
    client.query(`SELECT * FROM receipt WHERE merchant = $1 AND ${sql} LIMIT 101`, [merchant.wallet]),
  )
  print(`${row(query || '(all)', times)}  bare ${format(bare)}  ratio ${(times.p50 / bare.p50).toFixed(2)}`)
}

async function ask(api: TestApi, { key }: TestMerchant, path: string) {
  const answer = await fetch(api.url + path, { headers: { 'x-api-key': key } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(text)
  return { body: JSON.parse(text) as { nextCursor: string | null } }
}

type Times = { readonly p50: number; readonly p95: number }

/** Once more than is counted, so that what is slow only once is not; no more where it is slow at all. */
async function measure(work: () => Promise<unknown>): Promise<Times> {
  const times: number[] = []
  const endsAt = performance.now() + 20_000
  for (let i = 0; i < rounds && (i < 3 || performance.now() < endsAt); i++) {
    const started = performance.now()
    await work()
    if (i > 0) times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95) }
}

const row = (name: string, times: Times) => `${name.padEnd(72)} ${format(times)}`
const format = ({ p50, p95 }: Times) => `p50 ${p50.toFixed(1).padStart(7)} p95 ${p95.toFixed(1).padStart(7)}`

function print(line: string): void {
  console.log(line)
}
