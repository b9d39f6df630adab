import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { DueDelivery } from '../queued-delivery.ts'

/** Whose notices are asked for. */
export type DueQuery = {
  readonly lanes: readonly number[]
  /** Who may have any, of the list of all merchants with work in these lanes. */
  readonly of: readonly string[]
  /** Whether merchants are spread over machines, which do not look through a list for one merchant after the other. */
  readonly isSpread: boolean
}

/**
 * How far a merchant's queue is looked through for a receiver that has room. Of a longer one that waits for full receivers
 * the rest follows as they take some; else each look would read it from end to end.
 */
const depth = 1_000

/**
 * Due notices of `lanes` that nobody is sending: of each merchant the first few, and first places
 * first, so that a long queue of one cannot hide the others. No more than these are read, and those before them whose
 * receivers have all they may have, up to {@link depth}, so that it does not hold them up either.
 */
export async function listDueDeliveries(
  db: Database,
  query: DueQuery & {
    readonly now: UnixMs
    readonly full: { readonly merchants: readonly string[]; readonly hosts: readonly string[] }
    readonly perMerchant: number
    readonly limit: number
  },
): Promise<DueDelivery[]> {
  const { isSpread, lanes: _, full, ...asked } = query
  const isFull = new Set(full.merchants)
  const of = query.of.filter((merchant) => !isFull.has(merchant))
  if (of.length === 0) return []
  const values = { ...asked, of, hosts: full.hosts, depth }
  return db.rows(isSpread ? listSpread(values) : list(values))
}

/** When the next notice of `lanes`, of merchants who may have one, falls due after `after` and up to `until`. */
export async function findNextDue(
  db: Database,
  { isSpread, lanes, of }: DueQuery,
  after: UnixMs,
  until: UnixMs,
): Promise<UnixMs | undefined> {
  if (of.length === 0) return undefined
  const asked = { of, after, until }
  return (await db.row(isSpread ? findNextSpread(asked) : findNext({ ...asked, lanes })))?.nextAt
}

/** Every merchant with a notice that is to be sent, now or later. */
export async function listMerchantsWithPending(db: Database): Promise<string[]> {
  return (await db.rows(listPending())).map(({ merchant }) => merchant)
}

/** Those of the notices with these ids, of these merchants, that are to be sent, now or later. */
export function listPendingOf(
  db: Database,
  of: readonly string[],
  ids: readonly string[],
): Promise<{ merchant: string; id: string }[]> {
  return of.length === 0 ? Promise.resolve([]) : db.rows(findPending({ of, ids }))
}

const due = {
  merchant: text(),
  id: text(),
  host: text(),
  nextAt: time(),
  cycle: count(),
  place: count(),
} as const

const list = statement({
  name: 'list-due-notices',
  isPlannedAnew: true,
  reads: due,
  text: `SELECT merchant, id, host, next_at, cycle, place FROM unnest(:of::text[]) AS asked (whose), LATERAL (
      SELECT merchant, id, host, next_at, cycle, row_number() OVER (ORDER BY next_at, sequence) AS place FROM (
        SELECT merchant, id, host, next_at, cycle, sequence FROM notice
        WHERE merchant = whose AND state = 'pending' AND next_at <= :now AND claimed_until <= :now
        ORDER BY next_at, sequence LIMIT :depth) AS waiting
      WHERE host <> ALL(:hosts::text[]) ORDER BY next_at, sequence LIMIT :perMerchant) AS own
    ORDER BY place, next_at LIMIT :limit`,
})

/**
 * Citus looks for one merchant after the other only where a table of its own has them: each has a row in `merchant` from
 * his first key on. Named once more inside, they have the machines of no others asked.
 */
const listSpread = statement({
  name: 'list-due-notices-of-cluster',
  isPlannedAnew: true,
  reads: due,
  text: `SELECT own.merchant, id, host, next_at, cycle, place FROM merchant AS asked, LATERAL (
      SELECT merchant, id, host, next_at, cycle, row_number() OVER (ORDER BY next_at, sequence) AS place FROM (
        SELECT merchant, id, host, next_at, cycle, sequence FROM notice
        WHERE merchant = asked.merchant AND merchant = ANY(:of::text[])
          AND state = 'pending' AND next_at <= :now AND claimed_until <= :now
        ORDER BY next_at, sequence LIMIT :depth) AS waiting
      WHERE host <> ALL(:hosts::text[]) ORDER BY next_at, sequence LIMIT :perMerchant) AS own
    WHERE asked.merchant = ANY(:of::text[]) ORDER BY place, next_at LIMIT :limit`,
})

/** Of each lane the first: very many may fall due within the time that is asked about. */
const findNext = statement({
  name: 'find-next-due-notice',
  isPlannedAnew: true,
  reads: { nextAt: time() },
  text: `SELECT next_at FROM unnest(:lanes::smallint[]) AS asked (in_lane), LATERAL (
      SELECT next_at FROM notice
      WHERE lane = in_lane AND merchant = ANY(:of::text[])
        AND state = 'pending' AND next_at > :after AND next_at <= :until
      ORDER BY next_at LIMIT 1) AS first
    ORDER BY next_at LIMIT 1`,
})

const findNextSpread = statement({
  name: 'find-next-due-notice-of-cluster',
  isPlannedAnew: true,
  reads: { nextAt: time() },
  text: `SELECT next_at FROM merchant AS asked, LATERAL (
      SELECT next_at FROM notice
      WHERE merchant = asked.merchant AND merchant = ANY(:of::text[])
        AND state = 'pending' AND next_at > :after AND next_at <= :until
      ORDER BY next_at LIMIT 1) AS first
    WHERE asked.merchant = ANY(:of::text[]) ORDER BY next_at LIMIT 1`,
})

const listPending = statement({
  name: 'list-merchants-with-pending-notices',
  reads: { merchant: text() },
  text: `SELECT DISTINCT merchant FROM notice WHERE state = 'pending'`,
})

const findPending = statement({
  name: 'find-pending-notices',
  reads: { merchant: text(), id: text() },
  text: `SELECT merchant, id FROM notice
    WHERE merchant = ANY(:of::text[]) AND id = ANY(:ids::text[]) AND coalesce(state, '') = 'pending'`,
})
