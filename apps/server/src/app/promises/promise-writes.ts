import type { ReportStatusRequest } from '@sluice/protocol/api/receipts/status.ts'
import type { Caller } from '../../access/caller.ts'
import type { Route, RouteInput, RouteOutput } from '../../access/route.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { DatastoreAway, degradedMark, isDatastoreOutage } from '../../platform/database/degraded.ts'
import { isInsideTransaction } from '../../platform/database/inside-transaction.ts'
import type { JoiningDatabase } from '../../platform/database/joining/joining-database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import { markApplied, pruneApplied } from '../../platform/spool/applied.ts'
import type { Spool, SpoolRecord } from '../../platform/spool/spool.ts'
import { parseStatusReport } from '../../receipts/managing/report-status.ts'

const everyMs = 1_000
const appliedLifeMs = 30 * 86_400_000
const triesPerRecord = 10

type Input = RouteInput<never, never, never>

/** What is kept of the body of a request that may be promised; nothing of one that may not. */
type Keep = (body: unknown) => unknown

/** Writes that may be promised, and which of their requests (decisions: Degraded mode). Nothing that concerns money. */
const promisable: ReadonlyMap<string, Keep> = new Map<string, Keep>([
  ['POST /api/shop/config', (body) => body],
  [
    'POST /api/receipts/status',
    (body) => {
      const { receiptId, wallet, status, reason } = body as ReportStatusRequest
      const isTelemetry = parseStatusReport(body as ReportStatusRequest).kind === 'telemetry'
      return isTelemetry ? { receiptId, wallet, status, reason } : undefined
    },
  ],
])

/** Of the journal's room, what those may fill who need no credentials: the rest is for merchants. */
const shareOfAnybody = 0.5

/** What promising leans on. */
export type PromiseNeeds = {
  readonly db: JoiningDatabase
  readonly clock: Clock
  readonly log: Log
  readonly spool: Spool
}

/** What a record of the journal holds: the request as its handler got it, without credentials. */
type Promised = Pick<Input, 'params' | 'query' | 'correlationId' | 'clientAddress'> & {
  readonly body: unknown
  readonly caller: Caller | undefined
}

/**
 * The routes, of which those writes are promised while the datastore is away, and the job that keeps the
 * promises when it is back, in their order.
 *
 * A promised request is safe on disk before it is answered, and is handled later by the same handler, in one
 * transaction with the note that it was: once, whatever dies meanwhile. That transaction is its own: within that of a
 * request with an Idempotency-Key nothing is promised and no promise is kept, since what the journal has let go of
 * would be undone with it.
 */
export function promiseWrites(needs: PromiseNeeds, routes: readonly Route[]): { routes: Route[]; job: Job } {
  const keeper = new PromiseKeeper(needs, routes)
  return {
    routes: routes.map((route) => {
      const keep = promisable.get(kindOf(route))
      if (!keep) return route
      return {
        ...route,
        async prepare(input: Omit<Input, 'prepared'>) {
          await keeper.keep()
          return route.prepare?.(input)
        },
        handle: (input: Input) => keeper.handle(route, keep, input),
      }
    }),
    job: {
      name: jobNames.keepPromises,
      everyMs,
      async run() {
        await keeper.keep()
        return 'done'
      },
    },
  }
}

class PromiseKeeper {
  readonly #needs: PromiseNeeds
  readonly #handlers: ReadonlyMap<string, Route>
  #failing: { id: string; count: number } | undefined

  constructor(needs: PromiseNeeds, routes: readonly Route[]) {
    this.#needs = needs
    this.#handlers = new Map(routes.map((route) => [kindOf(route), route]))
  }

  /** Handles a write now, after those that wait, or promises it. */
  async handle(route: Route, keep: Keep, input: Input): Promise<RouteOutput> {
    const { spool } = this.#needs
    const isJoined = isInsideTransaction()
    try {
      if (spool.pendingCount > 0) {
        if (isJoined) throw new DatastoreAway('Earlier writes are still being applied')
        await this.#replay()
      }
      return await route.handle(input)
    } catch (error) {
      const kept = isJoined || !isDatastoreOutage(error) ? undefined : keep(input.body)
      if (kept === undefined) throw error
      const { params, query, body, correlationId, clientAddress, caller } = input
      const isKnown = caller.kind === 'session' || caller.kind === 'nobody'
      const promised = {
        params,
        query,
        body: kept,
        correlationId,
        clientAddress,
        caller: isKnown ? caller : undefined,
      }
      const share = caller.kind === 'session' ? 1 : shareOfAnybody
      await spool.append(kindOf(route), promised satisfies Promised, share)
      return { status: 200, body: { ok: true, ...degradedMark, data: body } }
    }
  }

  /** Does what waits, if the datastore is there. */
  async keep(): Promise<void> {
    if (this.#needs.spool.pendingCount === 0) return
    try {
      await this.#replay()
    } catch (error) {
      if (!isDatastoreOutage(error)) throw error
    }
  }

  async #replay(): Promise<void> {
    const { spool, db, clock, log } = this.#needs
    const doneCount = await spool.replay((record) => this.#apply(record))
    if (doneCount === 0) return
    await pruneApplied(db, clock.now() - appliedLifeMs)
    log.info({ doneCount }, 'the writes accepted while the datastore was unavailable have been applied')
  }

  async #apply(record: SpoolRecord): Promise<void> {
    const { db, clock, log } = this.#needs
    try {
      await db.together(async () => {
        if (!(await markApplied(db, record.id, clock.now()))) return
        if (!this.#isHopeless(record)) await this.#handleLater(record)
      })
    } catch (error) {
      if (!isDatastoreOutage(error)) this.#countFailure(record)
      throw error
    }
    if (this.#isHopeless(record))
      log.error({ record }, 'an accepted write failed repeatedly and is given up; its record is in this line')
  }

  async #handleLater(record: SpoolRecord): Promise<void> {
    const { log } = this.#needs
    const route = this.#handlers.get(record.kind)
    if (!route) return log.error({ record }, 'an accepted write is of a kind that this release does not know')
    const promised = record.payload as Promised
    const input = {
      ...promised,
      prepared: undefined,
      caller: promised.caller ?? deferred,
      merchantWallet: undefined,
      headers: {},
      limit: async () => {},
    } as unknown as Input
    try {
      await route.handle(input)
    } catch (error) {
      // What was valid when it was promised may have lost its ground since: a slug that was taken, for example.
      if (!(error instanceof Refusal)) throw error
      log.warn({ err: error, record: record.id, kind: record.kind }, 'an accepted write was refused')
    }
  }

  #countFailure({ id }: SpoolRecord): void {
    this.#failing = { id, count: this.#failing?.id === id ? this.#failing.count + 1 : 1 }
  }

  #isHopeless({ id }: SpoolRecord): boolean {
    return this.#failing?.id === id && this.#failing.count >= triesPerRecord
  }
}

/** Only what asks nothing of its caller is promised without knowing him. */
const deferred: Caller = {
  kind: 'deferred',
  async judge() {
    throw new Refusal('unauthorized', 'The credentials of an accepted write are not stored')
  },
  recognise: async () => undefined,
}

function kindOf(route: Route): string {
  return `${route.method} ${route.path}`
}
