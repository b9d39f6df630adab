import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Measurements of the service over a period. */
export type Seen = {
  /** Slowest /healthz response in the first two seconds, in which an attacker opens all connections. */
  readonly firstMs: number
  /** 99th percentile of /healthz after the first two seconds. */
  readonly healthP99: number
  readonly readP99: number
  readonly reads: number
  /** Number of reads with a valid key that did not return 200, by status or error code. */
  readonly refused: Readonly<Record<string, number>>
  readonly peakMb: number
}

const healthEveryMs = 100
/** Below the limit of 300 reads per minute for each tenant. */
const readEveryMs = 333
const memoryEveryMs = 250
const firstCount = 2_000 / healthEveryMs
const patienceMs = 60_000

/** Measures /healthz, the reads of a harmless tenant, and the memory of the service's process. */
export async function watch(
  service: { readonly baseUrl: string; readonly pid: number },
  key: string,
  seconds: number,
): Promise<Seen> {
  const { hostname, port } = new URL(service.baseUrl)
  const agent = new Agent({ keepAlive: true })
  const until = Date.now() + seconds * 1000
  const health: number[] = []
  let begun = 0
  let firstMs = 0
  const reads: number[] = []
  const refused: Record<string, number> = {}
  let peakMb = 0

  const ask = (path: string, headers: Record<string, string>) =>
    new Promise<{ ms: number; status: number | string }>((resolve) => {
      const startedAt = performance.now()
      const done = (status: number | string) => resolve({ ms: performance.now() - startedAt, status })
      const sent = request({ hostname, port, agent, path, headers }, (response) => {
        response.on('data', () => {})
        response.on('end', () => done(response.statusCode ?? 0))
        response.on('error', () => done('broken'))
      })
      sent.setTimeout(patienceMs, () => sent.destroy(new Error('none in a minute')))
      sent.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
      sent.end()
    })
  const refuse = (status: number | string) => {
    refused[status] = (refused[status] ?? 0) + 1
  }
  /**
   * Starts each request on schedule, even if earlier ones are pending. Otherwise slow responses would hide
   * slowness.
   */
  const every = async (pauseMs: number, work: () => Promise<void>) => {
    const underWay: Promise<void>[] = []
    for (let at = Date.now(); at < until; at += pauseMs) {
      underWay.push(work())
      await sleep(Math.max(0, at + pauseMs - Date.now()))
    }
    await Promise.all(underWay)
  }
  await Promise.all([
    every(healthEveryMs, async () => {
      const isFirst = begun++ < firstCount
      const { ms, status } = await ask('/healthz', {})
      const taken = status === 200 ? ms : patienceMs
      if (isFirst) firstMs = Math.max(firstMs, taken)
      else health.push(taken)
    }),
    every(readEveryMs, async () => {
      const { ms, status } = await ask('/api/receipts?limit=20', { 'ocp-apim-subscription-key': key })
      reads.push(typeof status === 'number' ? ms : patienceMs)
      if (status !== 200) refuse(status)
    }),
    every(memoryEveryMs, async () => {
      peakMb = Math.max(peakMb, residentMb(service.pid))
    }),
  ])
  agent.destroy()
  return { firstMs, healthP99: p99(health), readP99: p99(reads), reads: reads.length, refused, peakMb }
}

/** Returns the resident memory of a process, from /proc. */
function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes ?? 0) / 1024)
}

function p99(times: number[]): number {
  const sorted = times.sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0
}
