import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpCaller } from './http-caller.ts'
import { percentile } from './percentile.ts'
import { readInput } from './read-input.ts'
import { type WorkName, works } from './works.ts'

/** What the load of a service is. */
export type LoadInput = {
  readonly url: string
  /** Each connection has its own share of them. */
  readonly keys: readonly string[]
  /** A key sends so many requests, then comes the next of its connection; absent: it stays. */
  readonly perKey?: number
  /** Which of a connection's keys is its first. */
  readonly firstKey: number
  readonly work: WorkName
  /** Begins the ids of what is made. */
  readonly run: string
  /** How many receipts there are. */
  readonly count: number
  readonly connections: number
  readonly seconds: number
  /**
   * So many a second, each at its own time, whether those before are answered or not; absent: as many as go. What is due in the first
   * second, which comes before the others, is not counted: this program is being compiled, for which it takes both processors.
   */
  readonly rate?: number
}

/** What it came to. */
export type LoadResult = {
  readonly perSecond: number
  readonly requests: number
  /** How many keys a connection has begun with at most. */
  readonly keysUsed: number
  /** In milliseconds; at a rate counted from when a request was due, and not from when there was a connection for it. */
  readonly p50: number
  readonly p99: number
  /** That of each five seconds. */
  readonly p99s: readonly number[]
  /** Answers other than 2xx, by status, with one of them. */
  readonly failures: Readonly<Record<string, { count: number; sample: string }>>
}

const compilingMs = 1_000
const partMs = 5_000

// A program of its own: one request after the other over each of several connections, as a busy caller sends them.
const input = readInput<LoadInput>()
const {
  url,
  keys,
  perKey = Number.POSITIVE_INFINITY,
  firstKey,
  work,
  run,
  count,
  connections,
  seconds,
  rate,
} = input
/** Of all that are counted, and of those due in each five seconds. */
const times: number[] = []
const parts: number[][] = []
const failures: Record<string, { count: number; sample: string }> = {}
let next = 0
let keysUsed = 0
/** Of a connection. */
const keyShare = Math.max(1, Math.floor(keys.length / connections))

const callers = await Promise.all(
  Array.from({ length: connections }, (_, i) => HttpCaller.open(url, headersOf(i, 0))),
)
const startedAt = performance.now()
const countedFrom = startedAt + (rate === undefined ? 0 : compilingMs)
const endsAt = countedFrom + seconds * 1_000
await Promise.all(callers.map(keepAsking))
const elapsedMs = performance.now() - countedFrom
const result: LoadResult = {
  perSecond: (times.length / elapsedMs) * 1_000,
  requests: times.length,
  keysUsed,
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
  p99s: Array.from(parts, (each = []) => percentile(each, 0.99)),
  failures,
}
console.log(JSON.stringify(result))

/** @param place - Of the key among those of the connection, from the first it uses on. */
function headersOf(connection: number, place: number): Readonly<Record<string, string>> {
  const key = keys[(connection * keyShare + ((firstKey + place) % keyShare)) % keys.length] ?? ''
  return { 'ocp-apim-subscription-key': key, 'content-type': 'application/json' }
}

async function keepAsking(caller: HttpCaller, connection: number): Promise<void> {
  let sent = 0
  while (performance.now() < endsAt) {
    const n = next++
    const dueAt = rate === undefined ? performance.now() : startedAt + (n * 1_000) / rate
    if (dueAt >= endsAt) break
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    if (sent > 0 && sent % perKey === 0) caller.changeHeaders(headersOf(connection, sent / perKey))
    sent++
    const { status, text } = await caller.ask(works[work].request(run, n, count))
    if (status >= 300) failures[status] = { count: (failures[status]?.count ?? 0) + 1, sample: text }
    else if (dueAt >= countedFrom) keepTime(dueAt)
  }
  keysUsed = Math.max(keysUsed, Math.ceil(sent / perKey))
  caller.close()
}

function keepTime(dueAt: number): void {
  const ms = performance.now() - dueAt
  times.push(ms)
  const part = Math.floor((dueAt - countedFrom) / partMs)
  parts[part] ??= []
  parts[part].push(ms)
}
