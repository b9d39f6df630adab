import { performance } from 'node:perf_hooks'
import { Client } from 'undici'
import { type WorkName, works } from './works.ts'

/** What the load of a service is. */
export type LoadInput = {
  readonly url: string
  readonly keys: readonly string[]
  readonly work: WorkName
  /** Begins the ids of what is made. */
  readonly run: string
  /** How many receipts there are. */
  readonly count: number
  readonly connections: number
  readonly seconds: number
}

/** What it came to. */
export type LoadResult = {
  readonly perSecond: number
  readonly requests: number
  readonly p50: number
  readonly p99: number
  /** Answers other than 2xx, by status, with one of them. */
  readonly failures: Readonly<Record<string, { count: number; sample: string }>>
}

// A program of its own: one request after the other over each of several connections, as a busy caller sends them.
const input = JSON.parse(process.argv[2] ?? '') as LoadInput
const { url, keys, work, run, count, connections, seconds } = input
const times: number[] = []
const failures: Record<string, { count: number; sample: string }> = {}
let next = 0

const startedAt = performance.now()
const endsAt = startedAt + seconds * 1_000
await Promise.all(Array.from({ length: connections }, (_, i) => keepAsking(keys[i % keys.length] ?? '')))
const elapsedMs = performance.now() - startedAt
times.sort((a, b) => a - b)
const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
const result: LoadResult = {
  perSecond: (times.length / elapsedMs) * 1_000,
  requests: times.length,
  p50: at(0.5),
  p99: at(0.99),
  failures,
}
console.log(JSON.stringify(result))

async function keepAsking(key: string): Promise<void> {
  const client = new Client(url, { pipelining: 1 })
  const headers = { 'ocp-apim-subscription-key': key, 'content-type': 'application/json' }
  while (performance.now() < endsAt) {
    const { body, ...request } = works[work].request(run, next++, count)
    const sentAt = performance.now()
    const answer = await client.request({ ...request, headers, body: body ?? null })
    if (answer.statusCode < 300) {
      await answer.body.dump({ limit: 1e9 })
      times.push(performance.now() - sentAt)
    } else {
      const sample = await answer.body.text()
      failures[answer.statusCode] = { count: (failures[answer.statusCode]?.count ?? 0) + 1, sample }
    }
  }
  await client.close()
}
