/** The spans that receipts are counted by: short ones begin at the boundaries of every time zone's days. */
export const tallySpans = { quarter: 900_000, day: 86_400_000 } as const

/** US cents of a receipt in its own currency, at the receipt's own rate; to the nearest cent. */
const inNative = <const Cents extends string>(cents: Cents) =>
  `coalesce(round(${cents}::numeric * coalesce(native_total_cents, total_cents) / nullif(total_cents, 0)), 0)::int8` as const

/** The amounts of a row of `receipt`, or of `archived_receipt`, as the tallies add them up. */
export const talliedAmounts = `total_cents, coalesce(native_total_cents, total_cents) AS native_cents,
  ${inNative('fee_cents')} AS fee_cents, ${inNative('refunded_cents')} AS refunded_cents` as const

/** What the tallies, whose status is the standing, know of such a row: for a `SELECT` or a `RETURNING`. */
export const tallied =
  `created_at - created_at % ${tallySpans.quarter} AS quarter, currency, standing AS status,
  ${talliedAmounts}` as const

/**
 * The part of a statement that notes in the tallies what it changed of one receipt: `gone` and `come` are the names of
 * its CTEs of {@link tallied} columns. Nothing is written where they are alike.
 */
export const noteTallies = <const Gone extends string, const Come extends string>(gone: Gone, come: Come) =>
  `INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, total_cents, native_cents,
      fee_cents, refunded_cents)
    SELECT :merchant, quarter, currency, status, sign, sign * total_cents, sign * native_cents, sign * fee_cents,
      sign * refunded_cents
    FROM (SELECT *, 1::int8 AS sign FROM ${come} UNION ALL SELECT *, -1::int8 FROM ${gone}) AS changed
    WHERE EXISTS (SELECT * FROM ${come} EXCEPT SELECT * FROM ${gone})` as const
