import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Outbound, OutboundOutcome, OutboundRequest } from '../../../src/platform/outbound/outbound.ts'

/** Latency of a provider's RPC endpoint. */
export const farAwayMs = 150

/** Latency in tests that count requests: enough for responses to overtake one another and the database. */
const farEnoughMs = Number(process.env.TEST_FAR_MS ?? 30)

/** Delays and counts the requests to an RPC endpoint: `startChainApi({ outbound: farChain().over })`. */
export function farChain(awayMs = farEnoughMs) {
  /** Requests, and calls by method: each call of a batch counts. */
  const tally = { requests: 0, calls: new Map<string, number>() }
  const far = {
    /** Set-ups start near their chain and move away afterwards. */
    isFar: false,
    async whileFar<T>(work: () => Promise<T>): Promise<T> {
      far.isFar = true
      return work().finally(() => {
        far.isFar = false
      })
    },
    tally,
    over: (real: Outbound): Outbound => ({
      async request(request) {
        tally.requests += 1
        for (const [, method = ''] of (request.body ?? '').matchAll(/"method":"(\w+)"/g))
          tally.calls.set(method, (tally.calls.get(method) ?? 0) + 1)
        if (far.isFar) await new Promise((resolve) => setTimeout(resolve, awayMs))
        return real.request(request)
      },
    }),
  }
  return far
}

/** Sets all counters to zero. */
export function resetTally(tally: ReturnType<typeof farChain>['tally']): void {
  tally.requests = 0
  tally.calls.clear()
}

type RawLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly transactionHash: string
}

/** Creates an endpoint that is slow and hides logs from `eth_getLogs`; transaction receipts and balances are true. */
export function makeHidingEndpoint() {
  const far = farChain()
  let isHidden: ((log: RawLog) => boolean) | undefined
  let isForEver = false
  let hiddenCount = 0

  async function request(real: Outbound, asked: OutboundRequest): Promise<OutboundOutcome> {
    const outcome = await real.request(asked)
    if (!isHidden || outcome.kind === 'fault' || !asked.body?.includes('eth_getLogs')) return outcome
    const calls = [JSON.parse(asked.body)].flat() as { id: unknown; method: string }[]
    const logCalls = new Set(calls.flatMap(({ id, method }) => (method === 'eth_getLogs' ? [id] : [])))
    type Reply = { id: unknown; result?: unknown }
    const answers = [JSON.parse(Buffer.from(outcome.body).toString())].flat() as Reply[]
    const changed = answers.map((answer) => {
      if (!logCalls.has(answer.id) || !Array.isArray(answer.result)) return answer
      const left = (answer.result as RawLog[]).filter((log) => !isHidden?.(log))
      if (left.length === answer.result.length) return answer
      hiddenCount += 1
      if (!isForEver) isHidden = undefined
      return { ...answer, result: left }
    })
    const body = JSON.stringify(Array.isArray(JSON.parse(asked.body)) ? changed : changed[0])
    return { ...outcome, body: Buffer.from(body) }
  }

  return {
    outbound: (real: Outbound) => far.over({ request: (asked) => request(real, asked) }),
    far,
    /** Hides these logs from every list or, with `once`, from the next list that contains one. */
    hide(hidden: (log: RawLog) => boolean, times: 'once' | 'for ever' = 'once') {
      isHidden = hidden
      isForEver = times === 'for ever'
    },
    /** Number of lists from which logs were hidden. */
    get hiddenCount() {
      return hiddenCount
    },
  }
}

type IsMeant = (body: string) => boolean

/** Opens an endpoint in front of a chain: every response is `latencyMs` late, and a test can hold one. */
export async function openRpcProxy(latencyMs: number) {
  let target = ''
  let fault: unknown
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
        fault = error
      })
    }
    setTimeout(() => response.writeHead(status, { 'content-type': 'application/json' }).end(text), latencyMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Names the chain behind the proxy. */
    leadTo(url: string) {
      target = url
    },
    /** Holds the next response to a matching request until `meanwhile` is done. */
    holdUp(isMeant: IsMeant, meanwhile: () => Promise<void>) {
      hold = { isMeant, meanwhile }
    },
    /** Runs `act` before each response to a matching request. */
    whenever(isMeant: IsMeant, act: () => Promise<void>) {
      habit = { isMeant, act }
    },
    async stop() {
      if (fault) throw fault
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The response of the chain, or 502 if the chain is away. */
async function pass(target: string, body: string): Promise<{ status: number; text: string }> {
  try {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(target, { method: 'POST', headers, body })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return { status: 502, text: '' }
  }
}
