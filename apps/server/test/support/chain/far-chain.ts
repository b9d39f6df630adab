import type { Outbound } from '../../../src/platform/outbound/outbound.ts'

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
  /** For `startPaymentWorld({ outbound })` and `startChainApi({ outbound })`. */
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
