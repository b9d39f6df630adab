import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Dispatcher } from 'undici'

/** A request to send. */
export type LoadRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Result of a measurement; the times are in milliseconds. */
export type LoadResult = {
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** A source of requests, and the rate at which they are sent. */
export type Load = {
  readonly url: string
  readonly next: () => LoadRequest
  readonly seconds: number
  /**
   * Requests per second, at random times like pgbench's `--rate`. If absent, each response triggers the next
   * request.
   */
  readonly rate?: number
  readonly onResponse?: (headers: Dispatcher.ResponseData['headers'], text: string) => void
}

/** Number of connections in every measurement, including pgbench's. */
export const connections = 32

/**
 * Excluded from the times at a fixed rate, because pgbench's connections plan their statements in this
 * period.
 */
export const planningMs = 1_000

/**
 * Sends requests over 32 connections, with one request at a time on each.
 *
 * At a fixed rate, a time counts from when the request was due, so that a slow server cannot hide its delay.
 *
 * @throws if a response is not 2xx or contains a GraphQL error.
 */
export async function runLoad({ url, next, seconds, rate, onResponse }: Load): Promise<LoadResult> {
  const times: number[] = []
  let requests = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  let nextDueAt = startedAt
  const takeDue = () => {
    if (rate === undefined) return performance.now()
    nextDueAt += (-Math.log(1 - Math.random()) * 1_000) / rate
    return nextDueAt
  }
  const countsFrom = rate === undefined ? startedAt : startedAt + planningMs
  const runConnection = async () => {
    const client = new Client(url)
    for (let dueAt = takeDue(); dueAt < endsAt; dueAt = takeDue()) {
      const waitMs = dueAt - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      const request = next()
      const { statusCode, headers, body } = await client.request({ ...request, body: request.body ?? null })
      const text = await body.text()
      if (statusCode >= 300 || text.startsWith('{"errors"'))
        throw new Error(`${request.method} ${request.path}: ${statusCode} ${text.slice(0, 500)}`)
      requests++
      if (dueAt >= countsFrom) times.push(performance.now() - dueAt)
      onResponse?.(headers, text)
    }
    await client.close()
  }
  await Promise.all(Array.from({ length: connections }, runConnection))
  const perSecond = (requests / (performance.now() - startedAt)) * 1_000
  return { requests, perSecond, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

/** Returns the value below which the fraction `share` of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
