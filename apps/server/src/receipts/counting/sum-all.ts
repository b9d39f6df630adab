import type { ListedStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { count, numeric, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { bind, type FindingNeeds } from '../finding/find-places.ts'
import { slots } from '../finding/place-columns.ts'
import type { ReceiptFilter } from '../finding/receipt-filter.ts'
import type { Currency } from '../receipt.ts'
import { storedListedStatus } from '../table.ts'

export type Counts = {
  /** Index of the interval between two bounds, starting at 1. */
  readonly point: number
  readonly currency: Currency
  readonly status: ListedStatus
  readonly receipts: bigint
  readonly totalCents: bigint
  readonly nativeCents: bigint
  readonly feeCents: bigint
  readonly refundedCents: bigint
}

/** Counts, and the time from which they are complete. `null` means that all receipts are counted. */
export type Counted = { readonly allCounts: readonly Counts[]; readonly countedFrom: number | null }

/**
 * SQL that converts US cents to the receipt's currency at the receipt's own rate, rounded to the nearest
 * cent.
 */
const inNative = <const Cents extends string>(cents: Cents) =>
  `CASE WHEN ${cents} = 0 OR native_total_cents IS NULL OR native_total_cents = total_cents THEN ${cents}
    ELSE coalesce(round(${cents}::numeric * native_total_cents / nullif(total_cents, 0)), 0)::int8 END` as const

export const amounts = `total_cents, coalesce(native_total_cents, total_cents) AS native_cents,
  ${inNative('fee_cents')} AS fee_cents, ${inNative('refunded_cents')} AS refunded_cents` as const

export const sums = `count(*)::numeric AS receipts, coalesce(sum(total_cents), 0)::numeric AS total_cents,
  coalesce(sum(native_cents), 0)::numeric AS native_cents, coalesce(sum(fee_cents), 0)::numeric AS fee_cents,
  coalesce(sum(refunded_cents), 0)::numeric AS refunded_cents` as const

/** Maximum number of receipts counted for one summary, newest first. */
const mostCounted = 300_000

/**
 * Counts a merchant's receipts in each interval between bounds. Ignores the text and the amounts of `filter`.
 *
 * @param bounds - Ascending, at least two.
 */
export async function sumAll(
  needs: FindingNeeds,
  merchant: Wallet,
  filter: ReceiptFilter,
  bounds: readonly number[],
): Promise<Counted> {
  const range = { from: bounds[0] ?? 0, to: bounds.at(-1) ?? 0 }
  const points = { begins: bounds.slice(0, -1), ends: bounds.slice(1) }
  const { currencies, standings } = bind(needs, filter)
  const asked = { merchant, currencies, standings, ...range, ...points, room: mostCounted }
  const rows = await needs.db.rows(sum(asked))
  return { allCounts: rows.filter(({ receipts }) => receipts > 0n), countedFrom: rows[0]?.since ?? null }
}

export async function findFirstTime(db: Database, merchant: Wallet): Promise<UnixMs | undefined> {
  return (await db.row(findFirst({ merchant })))?.createdAt
}

const sum = statement({
  name: 'sum-receipts',
  text: `WITH cut AS MATERIALIZED (SELECT max(created_at) + 1 AS since FROM (SELECT created_at FROM receipt
      WHERE merchant = :merchant AND created_at >= :from::int8 AND created_at < :to::int8
      ORDER BY created_at DESC, id DESC OFFSET :room LIMIT 1) AS oldest)
    SELECT part.point, slot.currency, slot.standing AS status, summed.*, cut.since
    FROM cut CROSS JOIN ${slots}
    CROSS JOIN unnest(:begins::int8[], :ends::int8[]) WITH ORDINALITY AS part (low, high, point)
    CROSS JOIN LATERAL (SELECT ${sums} FROM (SELECT ${amounts} FROM receipt
      WHERE merchant = :merchant AND currency = slot.currency AND standing = slot.standing
        AND created_at >= greatest(part.low, cut.since) AND created_at < part.high) AS counted) AS summed`,
  reads: {
    point: count(),
    currency: text<Currency>(),
    status: storedListedStatus(),
    receipts: numeric(),
    totalCents: numeric(),
    nativeCents: numeric(),
    feeCents: numeric(),
    refundedCents: numeric(),
    since: optional(count()),
  },
})

const findFirst = statement({
  name: 'find-first-receipt-time',
  text: 'SELECT created_at FROM receipt WHERE merchant = :merchant ORDER BY created_at, id LIMIT 1',
  reads: { createdAt: time() },
})
