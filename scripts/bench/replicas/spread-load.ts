import { setTimeout as sleep } from 'node:timers/promises'
import { HttpCaller } from '../http-caller.ts'
import type { LoadInput } from '../load.ts'
import { readInput } from '../read-input.ts'
import { works } from '../works.ts'

/** What the load of several replicas is. */
export type SpreadInput = Omit<LoadInput, 'firstKey' | 'perKey' | 'url' | 'rate'> & {
  readonly urls: readonly string[]
}

/** A request: when it ended, in Unix milliseconds, how long it took, and whether it was answered at all. */
export type Asked = readonly [endedAt: number, tookMs: number, isAnswered: boolean]

/** What it came to. */
export type SpreadResult = {
  readonly startedAt: number
  readonly endedAt: number
  readonly asked: readonly Asked[]
  /** Answers other than 2xx, some of them. */
  readonly failures: readonly string[]
}

// A program of its own: callers that are spread over all replicas. One whose connection ends goes to the next replica
// that takes one, as a balancer sends it there; the request that was under way is lost.
const input = readInput<SpreadInput>()
const { urls, keys, work, run, count, connections, seconds } = input
const asked: Asked[] = []
const failures: string[] = []
let next = 0

const callers = await Promise.all(Array.from({ length: connections }, (_, i) => open(i, i)))
const startedAt = Date.now()
const endsAt = startedAt + seconds * 1_000
await Promise.all(callers.map(keepAsking))
const result: SpreadResult = { startedAt, endedAt: Date.now(), asked, failures: failures.slice(0, 3) }
console.log(JSON.stringify(result))

async function keepAsking(first: HttpCaller, i: number): Promise<void> {
  let [caller, place] = [first, i]
  while (Date.now() < endsAt) {
    const began = performance.now()
    try {
      const { status, text } = await caller.ask(works[work].request(run, next++, count))
      if (status >= 300) failures.push(`${status} ${text}`)
      asked.push([Date.now(), performance.now() - began, true])
    } catch {
      asked.push([Date.now(), performance.now() - began, false])
      place++
      caller = await open(i, place)
    }
  }
  caller.close()
}

/** A connection to the replica at that place, or to the next that takes one. */
async function open(i: number, place: number): Promise<HttpCaller> {
  const headers = {
    'ocp-apim-subscription-key': keys[i % keys.length] ?? '',
    'content-type': 'application/json',
  }
  for (let tried = 0; ; tried++) {
    try {
      return await HttpCaller.open(urls[(place + tried) % urls.length] ?? '', headers)
    } catch (error) {
      if (tried > 100) throw error
      await sleep(10)
    }
  }
}
