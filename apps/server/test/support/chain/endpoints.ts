import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Outbound, OutboundOutcome, OutboundRequest } from '../../../src/platform/outbound/outbound.ts'

/** As far away as a provider's endpoint: each answer takes this much longer than the node needs for it. */
export const farAwayMs = 150

/**
 * How far tests are from their chain that count what they ask, and look at what comes of it: so long that answers
 * overtake one another and the database, which is all that a longer way would show. `TEST_FAR_MS` is another way.
 */
const farEnoughMs = Number(process.env.TEST_FAR_MS ?? 30)

/** What went to the endpoints, as far as a test asks. */
export type RpcTally = {
  requests: number
  /** Calls by their method; a batch of a hundred is a hundred. */
  readonly calls: Map<string, number>
}

/** A long way between the service and its endpoint, and what went over it. */
export type FarChain = {
  /** A world is started near its chain and moved away afterwards. */
  isFar: boolean
  /** Moved away for one piece of work. */
  whileFar<T>(work: () => Promise<T>): Promise<T>
  /** For `startPayments({ outbound })` and `startChainApi({ outbound })`. */
  readonly over: (real: Outbound) => Outbound
  readonly tally: RpcTally
}

/** Puts it between; near at first. */
export function farChain(awayMs = farEnoughMs): FarChain {
  const tally: RpcTally = { requests: 0, calls: new Map() }
  const far: FarChain = {
    isFar: false,
    async whileFar(work) {
      far.isFar = true
      return work().finally(() => {
        far.isFar = false
      })
    },
    tally,
    over: (real) => ({
      async request(request) {
        tally.requests += 1
        for (const [, method = ''] of (request.body ?? '').matchAll(/"method":"(\w+)"/g))
          tally.calls.set(method, (tally.calls.get(method) ?? 0) + 1)
        // The way to a provider and back, which no condition of ours can stand for.
        if (far.isFar) await new Promise((resolve) => setTimeout(resolve, awayMs))
        return real.request(request)
      },
    }),
  }
  return far
}

/** Begins to count anew. */
export function resetTally(tally: RpcTally): void {
  tally.requests = 0
  tally.calls.clear()
}

/** A log as a node writes it. */
export type RawLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly transactionHash: string
}

/** An endpoint that answers late and leaves logs out of its lists; receipts and balances it tells as they are. */
export type HidingEndpoint = {
  /** Goes between the service and the chain. */
  readonly outbound: (real: Outbound) => Outbound
  /** Leaves these logs out of lists of logs, in the next list that has one or, with `for ever`, in every one. */
  hide(isHidden: (log: RawLog) => boolean, times?: 'once' | 'for ever'): void
  /** The way to it: near until it is said to be far. */
  readonly far: FarChain
  /** How many lists logs were left out of. */
  readonly hiddenCount: number
}

/** Makes it. */
export function makeHidingEndpoint(): HidingEndpoint {
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
    const spoilt = answers.map((answer) => {
      if (!logCalls.has(answer.id) || !Array.isArray(answer.result)) return answer
      const left = (answer.result as RawLog[]).filter((log) => !isHidden?.(log))
      if (left.length === answer.result.length) return answer
      hiddenCount += 1
      if (!isForEver) isHidden = undefined
      return { ...answer, result: left }
    })
    const body = JSON.stringify(Array.isArray(JSON.parse(asked.body)) ? spoilt : spoilt[0])
    return { ...outcome, body: Buffer.from(body) }
  }

  return {
    outbound: (real) => far.over({ request: (asked) => request(real, asked) }),
    far,
    hide(hidden, times = 'once') {
      isHidden = hidden
      isForEver = times === 'for ever'
    },
    get hiddenCount() {
      return hiddenCount
    },
  }
}

/** An endpoint that stands before a real chain: as slow as a provider's, and open to being held up. */
export type RpcProxy = {
  readonly url: string
  /** Names the chain behind it. */
  leadTo(url: string): void
  /** The next answer to a request that `isMeant` waits until `meanwhile` is over, and is given as it was then. */
  holdUp(isMeant: (body: string) => boolean, meanwhile: () => Promise<void>): void
  /** Done before each answer to a request that `isMeant`, until it is set anew. */
  whenever(isMeant: (body: string) => boolean, act: () => Promise<void>): void
  stop(): Promise<void>
}

/** Opens it; every answer takes `latencyMs` longer than the chain needs. */
export async function openRpcProxy(latencyMs: number): Promise<RpcProxy> {
  let target = ''
  let fault: unknown
  let hold: { isMeant(body: string): boolean; meanwhile(): Promise<void> } | undefined
  let habit: { isMeant(body: string): boolean; act(): Promise<void> } | undefined
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
    // The way to a provider and back, which no condition of ours can stand for.
    setTimeout(() => response.writeHead(status, { 'content-type': 'application/json' }).end(text), latencyMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url) {
      target = url
    },
    holdUp(isMeant, meanwhile) {
      hold = { isMeant, meanwhile }
    },
    whenever(isMeant, act) {
      habit = { isMeant, act }
    },
    async stop() {
      if (fault) throw fault
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What the chain says; as a provider's door does, it says so where the chain behind it is away. */
async function pass(target: string, body: string): Promise<{ status: number; text: string }> {
  try {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(target, { method: 'POST', headers, body })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return { status: 502, text: '' }
  }
}
