import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type LoadRequest, runLoad } from './load.ts'
import { runPgbench } from './pgbench.ts'

/** A service with 64 merchants, each with one key. The first merchant has many receipts. */
export type Bench = {
  readonly url: string
  readonly plainUrl: string
  readonly databaseUrl: string
  readonly pid: number
  readonly keys: readonly string[]
  readonly count: number
  readonly plain: Readonly<Record<WorkName, string>>
}

/** The measured operations, each with its minimum ratio to the plain service. */
export const works = {
  create: { what: 'create a receipt of 3 lines', mark: 0.4 },
  read: { what: 'read one by its id', mark: 0.3 },
  list: { what: 'list of 100', mark: 0.8 },
} as const

export type WorkName = keyof typeof works

/** Results of one round of one operation: rates per second, times in milliseconds. */
export type Round = Awaited<ReturnType<typeof measureRound>>

/** Number of receipts of each merchant except the first. */
export const countOfOthers = 1_000
const seconds = 5
const lineItems = [
  { label: 'Espresso beans, 1 kg', priceUsd: 38 },
  { label: 'Filter papers, 100', priceUsd: 4.5 },
  { label: 'Delivery', priceUsd: 6.9 },
]

/**
 * Largest random number in a plain statement. For `create`, the range makes collisions of new IDs unlikely.
 */
const getMost = (work: WorkName, count: number) => (work === 'create' ? 9_000_000_000_000 : count)

/** Starts the plain service in a child process that ends with this one. */
export async function startPlainService({
  databaseUrl,
  plain,
  count,
}: Omit<Bench, 'plainUrl'>): Promise<string> {
  const child = fork(fileURLToPath(new URL('plain-service.ts', import.meta.url)), [databaseUrl])
  child.unref()
  const statements = Object.entries(plain).map(([name, statement]) => [
    name,
    { text: statement.replace(':n', '$1::int8'), most: getMost(name as WorkName, count) },
  ])
  child.send(Object.fromEntries(statements))
  const [{ port }] = await once(child, 'message')
  return `http://127.0.0.1:${port}`
}

/**
 * Measures PostgreSQL alone, the plain service and Sluice, first at full load, then each at half its own
 * rate.
 */
export async function measureRound(bench: Bench, work: WorkName) {
  const { url, plainUrl, databaseUrl, pid, keys, count, plain } = bench
  const most = getMost(work, count)
  const alone = await runPgbench(databaseUrl, plain[work], { most, seconds })
  const onPlain = { url: plainUrl, next: makePlainRequests(work), seconds }
  const floor = await runLoad(onPlain)
  const before = readProcess(pid)
  const one = await runLoad({ url, next: makeRequests(work, keys.slice(0, 1), count), seconds })
  const { cpuMs, rssMb } = readProcess(pid)
  const many = await runLoad({ url, next: makeRequests(work, keys, countOfOthers), seconds })
  const aloneHalf = await runPgbench(databaseUrl, plain[work], { most, seconds, rate: alone.perSecond / 2 })
  const floorHalf = await runLoad({ ...onPlain, rate: floor.perSecond / 2 })
  const next = makeRequests(work, keys.slice(0, 1), count)
  const half = await runLoad({ url, next, seconds, rate: one.perSecond / 2 })
  const cpuUs = ((cpuMs - before.cpuMs) * 1_000) / one.requests
  return {
    ...{ alone, floor, one, many, aloneHalf, floorHalf, half, cpuUs },
    rssMb: Math.max(rssMb, readProcess(pid).rssMb),
  }
}

/** Runs all operations with one key for 10 seconds, so that V8 compiles the hot code. */
export async function warmUp({ url, keys, count }: Bench): Promise<void> {
  const next = (Object.keys(works) as WorkName[]).map((work) => makeRequests(work, keys.slice(0, 1), count))
  let n = 0
  await runLoad({ url, seconds: 10, next: () => (next[n++ % next.length] as () => LoadRequest)() })
}

/** Returns the request that creates a receipt. */
export function makeCreation(id: string, key: string): LoadRequest {
  return {
    method: 'POST',
    path: '/api/receipts',
    headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': key },
    body: JSON.stringify({ id, lineItems, totalUsd: 49.4 }),
  }
}

/** Returns the requests of the same operation to the plain service. */
function makePlainRequests(work: WorkName): () => LoadRequest {
  const path = `/${work}`
  if (work !== 'create') return () => ({ method: 'GET', path })
  return () => ({ ...makeCreation('plain', ''), path })
}

/**
 * Returns requests of an operation with random keys, for random receipts from the `count` that each merchant
 * has.
 */
function makeRequests(work: WorkName, keys: readonly string[], count: number): () => LoadRequest {
  const run = randomBytes(6).toString('hex')
  let n = 0
  return () => {
    const key = keys[Math.floor(Math.random() * keys.length)] ?? ''
    if (work === 'create') return makeCreation(`${run}-${++n}`, key)
    const path = work === 'list' ? '?limit=100' : `/bench-${1 + Math.floor(Math.random() * count)}`
    return { method: 'GET', path: `/api/receipts${path}`, headers: { 'ocp-apim-subscription-key': key } }
  }
}

/**
 * Returns the service's CPU time so far, which Linux counts in hundredths of a second, and its resident
 * memory.
 */
export function readProcess(pid: number): { cpuMs: number; rssMb: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const rssKb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, rssMb: rssKb / 1024 }
}
