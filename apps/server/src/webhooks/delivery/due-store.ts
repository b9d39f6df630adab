import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { DueDelivery } from '../queued-delivery.ts'

/**
 * How far a merchant's queue is looked through for a receiver that has room. Of a longer one that waits for full receivers
 * the rest follows as they take some; else each look would read it from end to end.
 */
const depth = 1_000

/**
 * Due notices of merchants that nobody is sending: of each merchant the first few, and first places
 * first, so that a long queue of one cannot hide the others. No more than these are read, and those before them whose
 * receivers have all they may have, up to {@link depth}, so that it does not hold them up either.
 */
export async function listDueDeliveries(
  db: Database,
  query: {
    readonly of: readonly string[]
    readonly now: UnixMs
    readonly full: { readonly merchants: readonly string[]; readonly hosts: readonly string[] }
    readonly perMerchant: number
    readonly limit: number
  },
): Promise<DueDelivery[]> {
  const { full, ...asked } = query
  const isFull = new Set(full.merchants)
  const of = query.of.filter((merchant) => !isFull.has(merchant))
  if (of.length === 0) return []
  return db.rows(list({ ...asked, of, hosts: full.hosts, depth }))
}

/** When the next notice falls due after `after` and up to `until`. */
export async function findNextDue(db: Database, after: UnixMs, until: UnixMs): Promise<UnixMs | undefined> {
  return (await db.row(findNext({ after, until })))?.nextAt
}

/** Merchants with a notice that is due and that nobody is sending, after `after` in their order. */
export async function listMerchantsWithDue(
  db: Database,
  page: {
    readonly now: UnixMs
    readonly after: string
    readonly limit: number
  },
): Promise<string[]> {
  return (await db.rows(listMerchants(page))).map(({ merchant }) => merchant)
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

/** From the table of merchants, each of whom has a row from his first key on: one is asked after the other. */
const list = statement({
  name: 'list-due-notices',
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

/** The sum has an index over all merchants; `next_at` alone is in that of each. */
const findNext = statement({
  name: 'find-next-due-notice',
  reads: { nextAt: time() },
  text: `SELECT merchant, next_at FROM notice WHERE state = 'pending'
    AND next_at + 0 > :after AND next_at + 0 <= :until ORDER BY next_at + 0 LIMIT 1`,
})

/** Nothing is asked of the merchants unless anything is due. */
const listMerchants = statement({
  name: 'list-merchants-with-due-notices',
  isPlannedAnew: true,
  reads: { merchant: text() },
  text: `SELECT asked.merchant FROM merchant AS asked, LATERAL (
      SELECT id FROM notice WHERE merchant = asked.merchant AND state = 'pending' AND next_at <= :now
        AND claimed_until <= :now
      ORDER BY next_at, sequence LIMIT 1) AS first
    WHERE asked.merchant > :after AND EXISTS (
      SELECT id FROM notice WHERE state = 'pending' AND next_at + 0 <= :now)
    ORDER BY asked.merchant LIMIT :limit`,
})

const findPending = statement({
  name: 'find-pending-notices',
  reads: { merchant: text(), id: text() },
  text: `SELECT merchant, id FROM notice
    WHERE merchant = ANY(:of::text[]) AND id = ANY(:ids::text[]) AND coalesce(state, '') = 'pending'`,
})
