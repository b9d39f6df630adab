import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Caller } from '../../access/caller.ts'
import { judgeAccepted } from '../../access/guard/judge-accepted.ts'
import type { Route, RouteInput, RouteOutput } from '../../access/route.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { machineAway, type Places } from '../../platform/cluster/places.ts'
import { DatastoreAway, degradedMark, isDatastoreOutage } from '../../platform/database/degraded.ts'
import { isInsideTransaction } from '../../platform/database/inside-transaction.ts'
import type { JoiningDatabase } from '../../platform/database/joining/joining-database.ts'
import { statement } from '../../platform/database/statement.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import { markApplied, pruneApplied } from '../../platform/spool/applied.ts'
import type { Spool, SpoolRecord, Verdict } from '../../platform/spool/spool.ts'
import {
  findPromisable,
  findShown,
  kindOf,
  merchantOfPromise,
  type Promisable,
  type Promised,
  subjectFor,
  subjectOf,
} from './promisable.ts'
import { isOfRecord, RecordFailures } from './record-failures.ts'

const everyMs = 1_000
const appliedLifeMs = 30 * 86_400_000

/** How many subjects may fail in a round for no reason that is known, each after as long as a statement may take. */
const unexplainedPerRound = 2

/** Of the journal's room, what those may fill who need no credentials: the rest is for merchants. */
const shareOfAnybody = 0.5

type Input = RouteInput<never, never, never>

/** What promising leans on. */
export type PromiseNeeds = {
  readonly db: JoiningDatabase
  readonly clock: Clock
  readonly log: Log
  readonly spool: Spool
  readonly places: Places
}

/**
 * The routes, of which those writes are promised while the datastore is away, and the job that keeps the
 * promises when it is back, in their order; while a machine of it is away, those of merchants on others.
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
      const shown = findShown(route)
      if (shown !== undefined) return { ...route, handle: (input: Input) => keeper.show(shown, route, input) }
      const promisable = findPromisable(route)
      if (!promisable) return route
      return {
        ...route,
        async prepare(input: Omit<Input, 'prepared'>) {
          await keeper.keepEarlier(route, promisable, input)
          return route.prepare?.(input)
        },
        handle: (input: Input) => keeper.handle(route, promisable, input),
      }
    }),
    job: {
      name: jobNames.keepPromises,
      everyMs,
      async run(signal) {
        await keeper.keep(signal)
        return 'done'
      },
    },
  }
}

class PromiseKeeper {
  readonly #needs: PromiseNeeds
  readonly #handlers: ReadonlyMap<string, Route>
  readonly #failures: RecordFailures

  constructor(needs: PromiseNeeds, routes: readonly Route[]) {
    this.#needs = needs
    this.#failures = new RecordFailures(needs)
    this.#handlers = new Map(routes.map((route) => [kindOf(route), route]))
  }

  /** Handles a write now, after those of its subject that wait, or promises it. */
  async handle(route: Route, promisable: Promisable, input: Input): Promise<RouteOutput> {
    const kept = promisable.keep(input.body)
    if (kept === undefined) return route.handle(input)
    const { spool } = this.#needs
    const isJoined = isInsideTransaction()
    const subject = subjectOf({ kind: kindOf(route), payload: input })
    try {
      if (spool.isWaiting(subject)) {
        if (isJoined) throw new DatastoreAway(earlierWait)
        await this.#keepOf(subject).catch((error: unknown) => {
          // Nothing of this write is wrong: it comes after what could not be done yet.
          throw isDatastoreOutage(error) ? error : new DatastoreAway(earlierWait, { cause: error })
        })
      }
      return await route.handle(input)
    } catch (error) {
      if (isJoined || !isDatastoreOutage(error) || promisable.needsDatabase?.(input.body)) throw error
      return this.#promise(route, input, kept)
    }
  }

  /** Does what waits of the subject of a request, if the datastore is there. */
  async keepEarlier(route: Route, promisable: Promisable, input: Omit<Input, 'prepared'>): Promise<void> {
    if (this.#needs.spool.isEmpty || promisable.keep(input.body) === undefined) return
    // What cannot be done yet is met again where the write itself is handled.
    await this.#keepOf(subjectOf({ kind: kindOf(route), payload: input })).catch(() => {})
  }

  /**
   * Shows a merchant what was accepted of him: that is done first, unless the datastore is away or it has failed before,
   * when the answer does not wait for it.
   */
  async show(kind: string, route: Route, input: Input): Promise<RouteOutput> {
    const { caller } = input
    const subject = subjectFor(kind, 'merchant' in caller ? caller.merchant : undefined)
    if (this.#needs.spool.isDue(subject))
      await this.#keepOf(subject).catch((error: unknown) =>
        this.#needs.log.debug({ err: error, subject }, 'an accepted write waits longer'),
      )
    return route.handle(input)
  }

  /** Does what waits, of all whose part of the datastore is there. A defect is thrown once the others are done. */
  async keep(signal: AbortSignal): Promise<void> {
    const { spool, db, clock } = this.#needs
    if (spool.isEmpty) return
    let defect: { readonly error: unknown } | undefined
    let unexplainedCount = 0
    const judge = async (error: unknown, record: SpoolRecord): Promise<Verdict> => {
      if (isDatastoreOutage(error)) {
        const cause = await this.#causeOf(error, record)
        if (cause === 'database') return 'stop'
        if (cause === 'unknown') unexplainedCount += 1
      } else {
        if (isOfRecord(error)) this.#failures.note(record)
        else unexplainedCount += 1
        defect ??= { error }
      }
      return unexplainedCount >= unexplainedPerRound ? 'end' : 'go-on'
    }
    this.#tell(await spool.replay((record) => this.#apply(record), judge, signal))
    // As long as a journal holds a record, the database has to know that it is done.
    try {
      if (spool.isEmpty) await pruneApplied(db, clock.now() - appliedLifeMs)
    } catch (error) {
      if (!isDatastoreOutage(error)) throw error
    }
    if (defect) throw defect.error
  }

  async #keepOf(subject: string): Promise<void> {
    this.#tell(await this.#needs.spool.replayOf(subject, (record) => this.#apply(record)))
  }

  #tell(doneCount: number): void {
    if (doneCount === 0) return
    this.#needs.log.info(
      { doneCount },
      'the writes accepted while the datastore was unavailable have been applied',
    )
  }

  async #promise(route: Route, input: Input, kept: unknown): Promise<RouteOutput> {
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
    await this.#needs.spool.append(kindOf(route), promised satisfies Promised, share)
    return { status: 200, body: { ok: true, ...degradedMark, data: body } }
  }

  /**
   * Why a record failed by an outage: the machine of its merchant is away, or the whole database, or neither is known to
   * be, as where somebody holds a lock.
   */
  async #causeOf(error: unknown, record: SpoolRecord): Promise<'machine' | 'database' | 'unknown'> {
    const { db, places } = this.#needs
    const merchant = merchantOfPromise(record)
    try {
      if (merchant && (await this.#isAway(merchant))) return 'machine'
      await db.run(ask)
      return merchant && (await places.isAway(error, merchant)) ? 'machine' : 'unknown'
    } catch (failure) {
      if (!isDatastoreOutage(failure)) throw failure
      return 'database'
    }
  }

  async #isAway(merchant: Wallet): Promise<boolean> {
    return (await this.#needs.places.awayOf([merchant])).size > 0
  }

  async #apply(record: SpoolRecord): Promise<void> {
    const { db, clock, log } = this.#needs
    const merchant = merchantOfPromise(record)
    if (merchant && (await this.#isAway(merchant))) throw machineAway()
    await db.together(async () => {
      if (!(await markApplied(db, record.id, clock.now()))) return
      if (!this.#failures.isHopeless(record)) await this.#handleLater(record)
    })
    if (this.#failures.isHopeless(record))
      log.error({ record }, 'an accepted write failed repeatedly and is given up; its record is in this line')
    this.#failures.forget(record)
  }

  async #handleLater(record: SpoolRecord): Promise<void> {
    const { db, log } = this.#needs
    const route = this.#handlers.get(record.kind)
    if (!route) return log.error({ record }, 'an accepted write is of a kind that this release does not know')
    const promised = record.payload as Promised
    const input = {
      ...promised,
      acceptedAt: record.at,
      prepared: undefined,
      caller: promised.caller ?? deferred,
      merchantWallet: undefined,
      headers: {},
      limit: async () => {},
    } as unknown as Input
    try {
      if (promised.caller?.kind === 'session')
        await judgeAccepted(db, route.access, promised.caller, record.at)
      await route.handle(input)
    } catch (error) {
      // What was valid when it was promised may have lost its ground since: a slug that was taken, for example.
      if (!(error instanceof Refusal)) throw error
      log.warn({ err: error, record: record.id, kind: record.kind }, 'an accepted write was refused')
    }
  }
}

const earlierWait = 'Earlier writes are still being applied'

/** Only what asks nothing of its caller is promised without knowing him. */
const deferred: Caller = {
  kind: 'deferred',
  async judge() {
    throw new Refusal('unauthorized', 'The credentials of an accepted write are not stored')
  },
  recognise: async () => undefined,
}

/** Asks the database itself, and no machine that merchants are spread over. */
const ask = statement({ name: 'ask-database', text: 'SELECT 1' })()
