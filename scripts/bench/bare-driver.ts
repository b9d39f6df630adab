import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { percentile } from './percentile.ts'
import { readInput } from './read-input.ts'

/**
 * A program of its own: sends one statement again and again over several connections and prints how often a second it
 * was answered, and how long one of a hundred took. Stands in for pgbench where that is not installed.
 */
type Input = {
  readonly url: string
  readonly text: string
  readonly most: number
  readonly connections: number
  readonly seconds: number
  /** So many a second, each at its own time; absent: as many as go. */
  readonly rate?: number
}

const { url, text, most, connections, seconds, rate } = readInput<Input>()
const hasNumber = text.includes(':n')
const prepared = { name: 'limit', text: text.replaceAll(':n', '$1::text') }
const times: number[] = []
let next = 0

const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }))
await Promise.all(clients.map((client) => client.connect()))
const startedAt = performance.now()
const endsAt = startedAt + seconds * 1_000
await Promise.all(
  clients.map(async (client) => {
    while (performance.now() < endsAt) {
      const dueAt = rate === undefined ? performance.now() : startedAt + (next++ * 1_000) / rate
      if (dueAt >= endsAt) break
      const waitMs = dueAt - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      const values = hasNumber ? [`${1 + Math.floor(Math.random() * most)}`] : []
      const isAnswered = await client.query({ ...prepared, values }).then(() => true, noAnswer)
      if (isAnswered) times.push(performance.now() - dueAt)
    }
  }),
)
const perSecond = (times.length / (performance.now() - startedAt)) * 1_000
await Promise.all(clients.map((client) => client.end()))
console.log(JSON.stringify({ perSecond, p99: rate === undefined ? 0 : percentile(times, 0.99) }))

/** Of a statement that waited for a lock for longer than it may: it is not counted. Throws what failed otherwise. */
function noAnswer(error: unknown): false {
  if (error instanceof pg.DatabaseError && error.code === '55P03') return false
  throw error
}
