import { performance } from 'node:perf_hooks'
import pg from 'pg'

/**
 * A program of its own: sends one statement again and again over several connections and prints how often a second it
 * was answered. Stands in for pgbench where that is not installed.
 */
type Input = {
  readonly url: string
  readonly text: string
  readonly most: number
  readonly connections: number
  readonly seconds: number
}

const { url, text, most, connections, seconds } = JSON.parse(process.argv[2] ?? '') as Input
const hasNumber = text.includes(':n')
const prepared = { name: 'limit', text: text.replaceAll(':n', '$1::text') }
let count = 0

const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }))
await Promise.all(clients.map((client) => client.connect()))
const startedAt = performance.now()
const endsAt = startedAt + seconds * 1_000
await Promise.all(
  clients.map(async (client) => {
    while (performance.now() < endsAt) {
      const values = hasNumber ? [`${1 + Math.floor(Math.random() * most)}`] : []
      await client.query({ ...prepared, values })
      count++
    }
  }),
)
const perSecond = (count / (performance.now() - startedAt)) * 1_000
await Promise.all(clients.map((client) => client.end()))
console.log(JSON.stringify(perSecond))
