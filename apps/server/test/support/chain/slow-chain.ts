import type { Database } from '../../../src/platform/database/database.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'

/** What went to the endpoints, as far as a test asks. */
export type RpcTally = {
  requests: number
  /** Calls by their method; a batch of a hundred is a hundred. */
  readonly calls: Map<string, number>
  inFlight: number
  mostInFlight: number
}

/** Requests are answered this much later than the node answers them. */
export const farAwayMs = 150

/**
 * Puts a long way between the service and its endpoint, and counts what goes over it.
 *
 * @param delayMs - Asked at each request: a world is started without delay and slowed down afterwards.
 */
export function slowChain(delayMs: () => number): { over(real: Outbound): Outbound; tally: RpcTally } {
  const tally: RpcTally = { requests: 0, calls: new Map(), inFlight: 0, mostInFlight: 0 }
  return {
    tally,
    over: (real) => ({
      async request(request) {
        tally.requests += 1
        tally.inFlight += 1
        tally.mostInFlight = Math.max(tally.mostInFlight, tally.inFlight)
        for (const [, method = ''] of (request.body ?? '').matchAll(/"method":"(\w+)"/g))
          tally.calls.set(method, (tally.calls.get(method) ?? 0) + 1)
        try {
          await new Promise((resolve) => setTimeout(resolve, delayMs()))
          return await real.request(request)
        } finally {
          tally.inFlight -= 1
        }
      },
    }),
  }
}

/** Begins to count anew. */
export function resetTally(tally: RpcTally): void {
  tally.requests = 0
  tally.mostInFlight = 0
  tally.calls.clear()
}

/** A database that counts its statements by name, those in transactions included. */
export function countStatements(db: Database): {
  db: Database
  byName: Map<string, number>
  total(): number
} {
  const byName = new Map<string, number>()
  const wrap = (on: Database): Database => {
    const noted = <S extends { readonly name: string }>(statement: S): S => {
      byName.set(statement.name, (byName.get(statement.name) ?? 0) + 1)
      return statement
    }
    return {
      rows: (statement, values) => on.rows(noted(statement), values),
      row: (statement, values) => on.row(noted(statement), values),
      run: (statement, values) => on.run(noted(statement), values),
      transaction: (work) => on.transaction((tx) => work(wrap(tx))),
    }
  }
  return { db: wrap(db), byName, total: () => [...byName.values()].reduce((sum, each) => sum + each, 0) }
}
