import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { DueDelivery } from '../queued-delivery.ts'

/**
 * Maximum number of queue rows to scan for a host with a free slot, so that no query reads a long queue
 * completely.
 */
const depth = 1_000

/**
 * Lists the first due, unclaimed deliveries of each merchant.
 *
 * Deliveries are ordered by their position in the merchant's queue, so that a long queue cannot hide the
 * others. Deliveries to full hosts are skipped, up to {@link depth} rows per merchant.
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

/** Returns the earliest due time after `after` and up to `until`. */
export async function findNextDue(db: Database, after: UnixMs, until: UnixMs): Promise<UnixMs | undefined> {
  return (await db.row(findNext({ after, until })))?.nextAt
}

/** Lists merchants with a due, unclaimed delivery, in order, starting after `after`. */
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

/** Starts from the merchant table, so that PostgreSQL does one index lookup per merchant. */
const list = statement({
  name: 'list-due-messages',
  isPlannedAnew: true,
  reads: due,
  text: `SELECT own.merchant, id, host, next_at, cycle, place FROM merchant AS asked, LATERAL (
      SELECT merchant, id, host, next_at, cycle, row_number() OVER (ORDER BY next_at, sequence) AS place FROM (
        SELECT merchant, id, host, next_at, cycle, sequence FROM outbox_message
        WHERE merchant = asked.merchant AND merchant = ANY(:of::text[])
          AND state = 'pending' AND next_at <= :now AND claimed_until <= :now
        ORDER BY next_at, sequence LIMIT :depth) AS waiting
      WHERE host <> ALL(:hosts::text[]) ORDER BY next_at, sequence LIMIT :perMerchant) AS own
    WHERE asked.merchant = ANY(:of::text[]) ORDER BY place, next_at LIMIT :limit`,
})

/** The expression `next_at + 0` has an index across merchants; `next_at` alone is indexed per merchant. */
const findNext = statement({
  name: 'find-next-due-message',
  reads: { nextAt: time() },
  text: `SELECT merchant, next_at FROM outbox_message WHERE state = 'pending'
    AND next_at + 0 > :after AND next_at + 0 <= :until ORDER BY next_at + 0 LIMIT 1`,
})

/** Checking the earliest due time first avoids the per-merchant lookups if nothing is due. */
const listMerchants = statement({
  name: 'list-merchants-with-due-messages',
  isPlannedAnew: true,
  reads: { merchant: text() },
  text: `SELECT asked.merchant FROM merchant AS asked, LATERAL (
      SELECT id FROM outbox_message WHERE merchant = asked.merchant AND state = 'pending' AND next_at <= :now
        AND claimed_until <= :now
      ORDER BY next_at, sequence LIMIT 1) AS first
    WHERE asked.merchant > :after AND :now >= (
      SELECT next_at + 0 FROM outbox_message WHERE state = 'pending' ORDER BY next_at + 0 LIMIT 1)
    ORDER BY asked.merchant LIMIT :limit`,
})

const findPending = statement({
  name: 'find-pending-messages',
  reads: { merchant: text(), id: text() },
  text: `SELECT merchant, id FROM outbox_message
    WHERE merchant = ANY(:of::text[]) AND id = ANY(:ids::text[]) AND coalesce(state, '') = 'pending'`,
})
