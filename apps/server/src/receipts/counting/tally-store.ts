import type { ReceiptStanding } from '@sluice/protocol/receipt-status.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { count, int8, numeric, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Currency } from '../receipt.ts'
import { storedStanding } from '../table.ts'
import { talliedAmounts, tallySpans } from '../tally-columns.ts'

/** How many receipts there are of one currency and standing in one part of a range, and what they come to in cents. */
export type Tally = {
  /** From 1: between which two of the bounds asked for. */
  readonly point: number
  readonly currency: Currency
  readonly status: ReceiptStanding
  readonly receipts: bigint
  readonly totalCents: bigint
  readonly nativeCents: bigint
  readonly feeCents: bigint
  readonly refundedCents: bigint
}

/**
 * Counts all receipts of a merchant between moments, each part by itself: as of one moment, exactly, and without
 * looking at receipts but for those in the quarters of an hour that a bound divides.
 *
 * @param bounds - Ascending; two at least.
 */
export async function sumTallies(
  db: Database,
  merchant: Wallet,
  bounds: readonly number[],
): Promise<Tally[]> {
  const [begin, end] = [bounds[0] ?? 0, bounds.at(-1) ?? 0]
  const { day, quarter } = tallySpans
  const dividedBy = (span: number) => [
    ...new Set(bounds.filter((bound) => bound % span !== 0).map((bound) => bound - (bound % span))),
  ]
  const divided = { days: dividedBy(day), quarters: dividedBy(quarter) }
  return db.rows(sumAll({ merchant, bounds, begin, end, divided, day, quarter }))
}

const tally = {
  point: count(),
  currency: text<Currency>(),
  status: storedStanding(),
  receipts: numeric(),
  totalCents: numeric(),
  nativeCents: numeric(),
  feeCents: numeric(),
  refundedCents: numeric(),
}

const amounts = 'total_cents, native_cents, fee_cents, refunded_cents'

const sumAll = statement({
  name: 'sum-receipt-tallies',
  text: `SELECT width_bucket(at, :bounds::int8[])::int8 AS point, currency, status, sum(receipts)::numeric AS receipts,
      sum(total_cents)::numeric AS total_cents, sum(native_cents)::numeric AS native_cents,
      sum(fee_cents)::numeric AS fee_cents, sum(refunded_cents)::numeric AS refunded_cents
    FROM (
      SELECT start AS at, currency, status, receipts, ${amounts} FROM receipt_tally
      WHERE merchant = :merchant AND span = :day AND start >= :begin::int8 AND start < :end
        AND start <> ALL(:divided.days::int8[])
      UNION ALL
      SELECT t.* FROM unnest(:divided.days::int8[]) AS divided (start) CROSS JOIN LATERAL (
        SELECT start, currency, status, receipts, ${amounts} FROM receipt_tally
        WHERE merchant = :merchant AND span = :quarter AND start >= greatest(divided.start, :begin::int8)
          AND start < least(divided.start + :day::int8, :end::int8)
          AND start <> ALL(:divided.quarters::int8[]) OFFSET 0) AS t
      UNION ALL
      SELECT quarter, currency, status, receipts, ${amounts} FROM receipt_tally_change
      WHERE merchant = :merchant AND quarter >= :begin AND quarter < :end
        AND quarter <> ALL(:divided.quarters::int8[])
      UNION ALL
      SELECT r.* FROM unnest(:divided.quarters::int8[]) AS divided (start) CROSS JOIN LATERAL (
        SELECT created_at, currency, standing, 1, ${talliedAmounts} FROM receipt
        WHERE merchant = :merchant AND created_at >= greatest(divided.start, :begin::int8)
          AND created_at < least(divided.start + :quarter::int8, :end::int8) OFFSET 0) AS r
    ) AS counted GROUP BY 1, 2, 3`,
  reads: tally,
})

/** Adds the oldest notes of a merchant's tallies to the tallies themselves; how many these were. */
export async function foldTallies(db: Database, merchant: Wallet, limit: number): Promise<number> {
  const { day, quarter } = tallySpans
  return Number((await db.row(fold({ merchant, limit, spans: [day, quarter] })))?.taken ?? 0n)
}

/** The merchants whose tallies have notes to be folded, after `after` in their order. */
export async function listUnfoldedMerchants(db: Database, after: string, limit: number): Promise<Wallet[]> {
  const rows = await db.rows(listUnfolded({ after, limit }))
  return rows.map(({ merchant }) => merchant)
}

const fold = statement({
  name: 'fold-receipt-tallies',
  text: `WITH taken AS (
      DELETE FROM receipt_tally_change WHERE merchant = :merchant AND id IN (
        SELECT id FROM receipt_tally_change WHERE merchant = :merchant ORDER BY id LIMIT :limit)
      RETURNING quarter, currency, status, receipts, ${amounts}),
    folded AS (INSERT INTO receipt_tally (merchant, span, start, currency, status, receipts, ${amounts})
    SELECT :merchant, span, quarter - quarter % span AS start, currency, status, sum(receipts)::int8,
      sum(total_cents), sum(native_cents), sum(fee_cents), sum(refunded_cents)
    FROM taken, unnest(:spans::int8[]) AS span
    GROUP BY span, start, currency, status ORDER BY span, start, currency, status
    ON CONFLICT (merchant, span, start, currency, status) DO UPDATE SET
      receipts = receipt_tally.receipts + excluded.receipts,
      total_cents = receipt_tally.total_cents + excluded.total_cents,
      native_cents = receipt_tally.native_cents + excluded.native_cents,
      fee_cents = receipt_tally.fee_cents + excluded.fee_cents,
      refunded_cents = receipt_tally.refunded_cents + excluded.refunded_cents)
    SELECT count(*) AS taken FROM taken`,
  reads: { taken: int8() },
})

const listUnfolded = statement({
  name: 'list-merchants-to-fold',
  text: `SELECT merchant FROM receipt_tally_change WHERE merchant > :after
    GROUP BY merchant ORDER BY merchant LIMIT :limit`,
  reads: { merchant: text<Wallet>() },
})
