import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'

/** Latency of a provider's RPC endpoint. */
export const farAwayMs = 150

/**
 * Latency in tests that count requests: enough for responses to arrive out of order and after database
 * responses.
 */
const farEnoughMs = Number(process.env.TEST_FAR_MS ?? 30)

/** Delays and counts the requests to an RPC endpoint: `startChainApi({ outbound: farChain().over })`. */
export function farChain(awayMs = farEnoughMs) {
  /** Number of requests, and calls by method. Each call in a batch counts. */
  const counts = { requests: 0, calls: new Map<string, number>() }
  const far = {
    /** Whether requests are delayed. Set-ups run without the delay, which tests then turn on. */
    isFar: false,
    async whileFar<T>(work: () => Promise<T>): Promise<T> {
      far.isFar = true
      return work().finally(() => {
        far.isFar = false
      })
    },
    counts,
    over: (real: Outbound): Outbound => ({
      async request(request) {
        counts.requests += 1
        for (const [, method = ''] of (request.body ?? '').matchAll(/"method":"(\w+)"/g))
          counts.calls.set(method, (counts.calls.get(method) ?? 0) + 1)
        if (far.isFar) await new Promise((resolve) => setTimeout(resolve, awayMs))
        return real.request(request)
      },
    }),
  }
  return far
}

export function resetCounts(counts: ReturnType<typeof farChain>['counts']): void {
  counts.requests = 0
  counts.calls.clear()
}

type IsMeant = (body: string) => boolean

/**
 * Opens an endpoint in front of a chain. Every response is delayed by `latencyMs`, and a test can hold one
 * back.
 */
export async function openRpcProxy(latencyMs: number, headers: Record<string, string> = {}) {
  let target = ''
  let reason: unknown
  let hold: { isMeant: IsMeant; meanwhile(): Promise<void> } | undefined
  let habit: { isMeant: IsMeant; act(): Promise<void> } | undefined
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString()
    const { status, text } = await pass(target, body)
    if (habit?.isMeant(body)) await habit.act()
    if (hold?.isMeant(body)) {
      const { meanwhile } = hold
      hold = undefined
      await meanwhile().catch((error: unknown) => {
        reason = error
      })
    }
    const type = { 'content-type': 'application/json' }
    setTimeout(() => response.writeHead(status, { ...type, ...headers }).end(text), latencyMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url: string) {
      target = url
    },
    /** Holds back the next response to a matching request until `meanwhile` is done. */
    holdUp(isMeant: IsMeant, meanwhile: () => Promise<void>) {
      hold = { isMeant, meanwhile }
    },
    /** Runs `act` before each response to a matching request. */
    whenever(isMeant: IsMeant, act: () => Promise<void>) {
      habit = { isMeant, act }
    },
    async stop() {
      if (reason) throw reason
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns the response of the chain, or 502 if the chain is unavailable. */
async function pass(target: string, body: string): Promise<{ status: number; text: string }> {
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(target, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  } catch {
    return { status: 502, text: '' }
  }
}
