/** The spans that receipts are counted by: short ones begin at the boundaries of every time zone's days. */
export const tallySpans = { quarter: 900_000, day: 86_400_000 } as const

/** US cents of a receipt in its own currency, at the receipt's own rate; to the nearest cent. */
const inNative = <const Cents extends string>(cents: Cents) =>
  `coalesce(round(${cents}::numeric * coalesce(native_total_cents, total_cents) / nullif(total_cents, 0)), 0)::int8` as const

/** The amounts of a row of `receipt`, as the tallies add them up. */
export const talliedAmounts = `total_cents, coalesce(native_total_cents, total_cents) AS native_cents,
  ${inNative('fee_cents')} AS fee_cents, ${inNative('refunded_cents')} AS refunded_cents` as const

/** What the tallies, whose status is the standing, know of such a row: for a `SELECT` or a `RETURNING`. */
export const tallied =
  `created_at - created_at % ${tallySpans.quarter} AS quarter, currency, standing AS status,
  ${talliedAmounts}` as const

/** The standing of a receipt by its properties, as the column of that name is generated. */
export const standingNow = `CASE WHEN :cancelledAt::int8 IS NOT NULL
  AND :status::text IN ('generated', 'pending', 'failed', 'rejected', 'abandoned') THEN 'cancelled'
  ELSE :status::text END` as const

/** The part of a statement that notes in the tallies one receipt that is new. */
export const noteNew =
  `INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, total_cents, native_cents,
      fee_cents, refunded_cents)
    SELECT merchant, quarter, currency, status, 1, total_cents, native_cents, fee_cents, refunded_cents
    FROM (SELECT merchant, ${tallied}
      FROM (VALUES (:merchant::text, :createdAt::int8, :currency::text, ${standingNow}, :totalCents::int8,
          :nativeTotalCents::int8, :feeCents::int8, :refundedCents::int8)) AS made (merchant, created_at, currency,
        standing, total_cents, native_total_cents, fee_cents, refunded_cents)) AS counted` as const

/** What a change of a receipt makes of the columns that the tallies count it by; what it keeps is `old.…`. */
type Counted = Readonly<
  Record<'currency' | 'standing' | 'total' | 'nativeTotal' | 'fee' | 'refunded', string>
>

/**
 * The part of a statement that notes in the tallies a change of one receipt beside it, from the row as it was and from the
 * values of the change. It reads nothing that another part of the statement gives: on a cluster that would be sent to all
 * machines first, and fail for everybody while one is away.
 */
export const noteChange = <const After extends Counted>(after: After) =>
  `INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, total_cents, native_cents,
      fee_cents, refunded_cents)
    SELECT merchant, quarter, currency, status, sign, sign * total_cents, sign * native_cents, sign * fee_cents,
      sign * refunded_cents
    FROM (SELECT merchant, sign, ${tallied}
      FROM (SELECT old.merchant, old.created_at, each.* FROM receipt AS old CROSS JOIN LATERAL (VALUES
          (-1::int8, old.currency, old.standing, old.total_cents, old.native_total_cents, old.fee_cents,
            old.refunded_cents),
          (1::int8, ${after.currency}, ${after.standing}, ${after.total}, ${after.nativeTotal}, ${after.fee},
            ${after.refunded})) AS each (sign, currency, standing, total_cents, native_total_cents, fee_cents,
            refunded_cents)
        WHERE old.merchant = :merchant AND old.id = :id
          AND (old.currency, old.standing, old.total_cents, old.native_total_cents, old.fee_cents, old.refunded_cents)
            IS DISTINCT FROM (${after.currency}, ${after.standing}, ${after.total}, ${after.nativeTotal}, ${after.fee},
              ${after.refunded})) AS both_rows) AS changed` as const
