import type { ReportStatusRequest } from '@sluice/protocol/api/receipts/status.ts'
import type { ChangeShopRequest } from '@sluice/protocol/api/shop.ts'
import { addMs } from '@sluice/protocol/time.ts'
import { evaluateAccepted } from '../../access/guard/authorize.ts'
import type { Route, RouteInput, RouteOutput } from '../../access/route.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { DatastoreAway, degradedMark, isDatastoreOutage } from '../../platform/database/degraded.ts'
import { isInsideTransaction } from '../../platform/database/inside-transaction.ts'
import type { JoiningDatabase } from '../../platform/database/joining/joining-database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import { statement } from '../../platform/database/statement.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { JournalRecord, WriteJournal } from '../../platform/journal/write-journal.ts'
import type { Log } from '../../platform/log.ts'
import { parseStatusReport } from '../../receipts/managing/report-status.ts'
import { parseShopChange } from '../../shop/parse-change.ts'

const appliedLifeMs = 30 * 86_400_000
const failuresPerRound = 10
/** Fraction of the journal for unauthenticated callers. Merchants get the rest. */
const shareOfAnybody = 0.5

type Input = RouteInput<never, never, never>
type Accepted = Pick<Input, 'caller' | 'correlationId'> & { readonly body: unknown }
type Needs = {
  readonly db: JoiningDatabase
  readonly clock: Clock
  readonly log: Log
  readonly journal: WriteJournal
}

/**
 * A write that the journal accepts. `keep` returns the body to store, or nothing if the request needs the
 * database.
 */
type Journaled = {
  keep(body: unknown): unknown
  needsDatabase?(body: unknown): boolean
  walletOf(request: Pick<Accepted, 'body' | 'caller'>): string | undefined
}

/** Writes that are accepted during a database outage. None of them concerns money. */
const shopChange: Journaled = {
  keep(body) {
    parseShopChange(body as ChangeShopRequest)
    return body
  },
  // Only the database knows whether a slug is free.
  needsDatabase: (body) => (body as ChangeShopRequest).slug !== undefined,
  walletOf: ({ caller }) => (caller.kind === 'session' ? caller.merchant : undefined),
}
const telemetry: Journaled = {
  keep(body) {
    const { receiptId, wallet, status, reason } = body as ReportStatusRequest
    const { kind } = parseStatusReport(body as ReportStatusRequest)
    return kind === 'telemetry' ? { receiptId, wallet, status, reason } : undefined
  },
  walletOf: ({ body }) => {
    const { wallet } = body as ReportStatusRequest
    return typeof wallet === 'string' ? wallet : undefined
  },
}
const shopKind = 'POST /api/shop/config'
const journaled: ReadonlyMap<string, Journaled> = new Map([
  [shopKind, shopChange],
  ['POST /api/receipts/status', telemetry],
])

/** Returns the ordering key of a record: order matters only within one merchant and route. */
export function subjectOf({ kind, payload }: Pick<JournalRecord, 'kind' | 'payload'>): string {
  return subjectFor(kind, journaled.get(kind)?.walletOf(payload as Accepted))
}

const subjectFor = (kind: string, wallet: string | undefined) => `${kind} ${wallet?.toLowerCase() ?? ''}`
const kindOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`

/**
 * Wraps the routes that write to the journal during a database outage, and creates the job that applies it.
 *
 * The route's handler applies a record in one transaction with its id, so it is applied once. Requests with
 * an Idempotency-Key have their own transaction and never use the journal.
 *
 * See docs/contract.md#degraded-mode.
 */
export function journalWrites(needs: Needs, routes: readonly Route[]): { routes: Route[]; job: Job } {
  const { db, clock, log, journal } = needs
  const handlers = new Map(routes.map((route) => [kindOf(route), route]))
  const apply: Apply = (record) =>
    db.together(async () => {
      if ((await db.run(markApplied({ id: record.id, at: clock.now() }))) === 0) return
      const route = handlers.get(record.kind)
      if (route) await applyRecord(needs, route, record)
      else log.error({ record }, 'this release cannot apply an accepted write of this type')
    })
  const catchUp = (subject: string) =>
    journal.drain(subject, apply).catch((error: unknown) => {
      log.debug({ err: error, subject }, 'an accepted write is still waiting')
    })
  const wrap = (route: Route): Route => {
    const kind = kindOf(route)
    if (kind === 'GET /api/shop/config')
      return {
        ...route,
        async handle(input: Input) {
          const subject = subjectFor(shopKind, 'merchant' in input.caller ? input.caller.merchant : undefined)
          if (!journal.hasFailed(subject)) await catchUp(subject)
          return route.handle(input)
        },
      }
    const rules = journaled.get(kind)
    if (!rules) return route
    return {
      ...route,
      async prepare(input: Omit<Input, 'prepared'>) {
        if (!journal.isEmpty && rules.keep(input.body) !== undefined)
          await catchUp(subjectOf({ kind, payload: input }))
        return route.prepare?.(input)
      },
      async handle(input: Input) {
        const body = rules.keep(input.body)
        if (body === undefined) return route.handle(input)
        try {
          if (journal.isWaiting(subjectOf({ kind, payload: input })))
            throw new DatastoreAway('Earlier writes are still being applied')
          return await route.handle(input)
        } catch (error) {
          if (isInsideTransaction() || !isDatastoreOutage(error) || rules.needsDatabase?.(input.body))
            throw error
          return accept(journal, kind, input, body)
        }
      },
    }
  }
  return { routes: routes.map(wrap), job: makeApplyJob(needs, apply) }
}

type Apply = Parameters<WriteJournal['drainAll']>[0]

function makeApplyJob({ db, clock, log, journal }: Needs, apply: Apply): Job {
  return {
    name: jobNames.applyJournal,
    everyMs: 1_000,
    async run(signal) {
      if (journal.isEmpty) return 'done'
      const before = journal.pendingCount
      const defects: unknown[] = []
      let failureCount = 0
      const goesOn = async (error: unknown) => {
        if (!isDatastoreOutage(error)) defects.push(error)
        else if (!(await responds(db))) return false
        return ++failureCount < failuresPerRound
      }
      await journal.drainAll(apply, goesOn, signal)
      const appliedCount = before - journal.pendingCount
      if (appliedCount > 0)
        log.info({ appliedCount }, 'writes accepted while the datastore was unavailable have been applied')
      // The applied ids must be kept as long as a file contains their records.
      if (journal.isEmpty) await db.run(pruneApplied({ before: addMs(clock.now(), -appliedLifeMs) }))
      if (defects.length > 0) throw defects[0]
      return 'done'
    },
  }
}

async function accept(
  journal: WriteJournal,
  kind: string,
  input: Input,
  body: unknown,
): Promise<RouteOutput> {
  const { correlationId, caller } = input
  const isMerchant = caller.kind === 'session'
  const accepted: Accepted = { body, correlationId, caller: isMerchant ? caller : { kind: 'nobody' } }
  await journal.append(kind, accepted, isMerchant ? 1 : shareOfAnybody)
  return { status: 200, body: { ok: true, ...degradedMark, data: input.body } }
}

async function applyRecord({ db, log }: Needs, route: Route, { id, at, kind, payload }: JournalRecord) {
  const { caller, ...accepted } = payload as Accepted
  const input = {
    ...accepted,
    caller,
    acceptedAt: at,
    headers: {},
    limit: async () => {},
  } as unknown as Input
  try {
    if (caller.kind === 'session') await evaluateAccepted(db, route.access, caller, at)
    await route.handle(input)
  } catch (error) {
    // A write that was valid when accepted may be rejected now.
    if (!(error instanceof ApiError)) throw error
    log.warn({ err: error, record: id, kind }, 'an accepted write was rejected when it was applied')
  }
}

async function responds(db: JoiningDatabase): Promise<boolean> {
  return db.run(ask()).then(
    () => true,
    () => false,
  )
}

const ask = statement({ name: 'ask-database', text: 'SELECT 1' })

const markApplied = statement({
  name: 'mark-journal-applied',
  text: 'INSERT INTO applied_write (id, applied_at) VALUES (:id, :at) ON CONFLICT DO NOTHING',
})

const pruneApplied = statement({
  name: 'prune-journal-applied',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM applied_write WHERE applied_at < :before',
})
