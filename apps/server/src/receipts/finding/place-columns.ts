import { displayOf, stopList } from './display-status.ts'

/** The display status of a row `r`. */
export const display = displayOf('r')

/** The columns of a row of `receipt` that filters ask about. */
export const asked = <const Row extends string>(row: Row) =>
  `${row}.id, ${row}.currency, ${row}.standing, ${row}.created_at, ${row}.total_cents, ${row}.native_total_cents,
  ${row}.payment, ${row}.failure, ${row}.expires_at, ${row}.refunded_cents` as const

/**
 * What a filter asks of a row `r` of `receipt` (or of what stands for one), beside its currency, its standing and the text
 * it is found by. Sums, so that no index is chosen for them: the one that is right is named by other conditions.
 */
export const isInRange = `r.created_at + 0 >= :from AND r.created_at + 0 < :to
  AND r.total_cents + 0 >= :minCents AND r.total_cents + 0 <= :maxCents
  AND coalesce(r.native_total_cents, r.total_cents) >= :minNative
  AND coalesce(r.native_total_cents, r.total_cents) <= :maxNative
  AND (:displayed::text[] IS NULL OR ${display} = ANY(:displayed::text[]))` as const

/** All that a filter asks of a row `r`, beside the text. */
export const passes =
  `r.currency = ANY(:currencies::text[]) AND r.standing = ANY(:standings::text[]) AND ${isInRange}` as const

/**
 * Whether the text of a filter finds a row `r` of `receipt`. Cheap for one row; not for finding it among many. Its parts
 * are values and not EXISTS, of which PostgreSQL would read all that there are into a table of hashes.
 */
export const isFound = `(NOT :hasText::bool OR starts_with(r.id, :text)
  OR (SELECT true FROM receipt_term AS t WHERE t.merchant = :merchant AND t.term = ANY(:terms::text[])
    AND t.created_at = r.created_at AND t.receipt_id = r.id LIMIT 1)
  OR (:hash::text IS NOT NULL AND (SELECT true FROM payment AS p WHERE p.merchant = :merchant
    AND p.receipt_id = r.id AND p.tx_hash >= :hash AND p.tx_hash < :hashEnd LIMIT 1)))` as const

/** The currencies and standings asked for, each pair a list of its own in the indexes. */
export const slots = `(SELECT currency, standing FROM unnest(:currencies::text[]) AS currency,
  unnest(:standings::text[]) AS standing) AS slot` as const

/**
 * Up to `:room` receipts that the text of a filter may find, by index; with so many of them, which are not all, nothing
 * more is known of them.
 */
export const foundByText = `WITH hit AS MATERIALIZED (SELECT DISTINCT id FROM (
    (SELECT id FROM receipt WHERE merchant = :merchant AND id COLLATE "C" >= :text AND id COLLATE "C" < :textEnd
      LIMIT :room)
    UNION ALL (SELECT receipt_id FROM receipt_term WHERE merchant = :merchant AND term = ANY(:terms::text[])
      LIMIT :room)
    UNION ALL (SELECT receipt_id FROM payment WHERE merchant = :merchant AND chain = :chain
      AND tx_hash >= :hash AND tx_hash < :hashEnd LIMIT :room)) AS any_of LIMIT :room)
  SELECT hit.id, r.currency, r.standing, r.created_at, r.total_cents, r.native_total_cents, r.payment, r.failure,
    r.expires_at, r.refunded_cents
  FROM hit LEFT JOIN LATERAL (SELECT * FROM receipt WHERE merchant = :merchant AND id = hit.id
    AND (SELECT count(*) FROM hit) < :room OFFSET 0) AS r ON true` as const

/** Up to `:room` receipts of a range in one of the indexes, whatever else is asked of them. */
const inRange = <const Condition extends string, const Key extends string>(condition: Condition, key: Key) =>
  `SELECT r.* FROM ${slots} CROSS JOIN LATERAL (
    SELECT ${asked('r')} FROM receipt AS r
    WHERE r.merchant = :merchant AND r.currency = slot.currency AND r.standing = slot.standing AND ${condition}
    ORDER BY ${key}, r.id LIMIT :room) AS r LIMIT :room` as const

/** By their totals in US dollars. */
export const foundByAmount = inRange(
  'r.total_cents >= :minCents AND r.total_cents <= :maxCents',
  'r.total_cents',
)

/** By their totals in a currency that is not the US dollar. */
export const foundByNativeAmount = inRange(
  "r.currency <> 'USD' AND r.native_total_cents >= :minNative AND r.native_total_cents <= :maxNative",
  'r.native_total_cents',
)

/** The few whose money makes them other than their status says. */
export const foundUneven = `SELECT ${asked('r')} FROM receipt AS r
  WHERE r.merchant = :merchant AND r.payment ->> 'state' IN ('seen', 'short', 'over', 'orphaned') LIMIT :room` as const

/** Those that are unpaid after their deadline. */
export const foundExpired = `SELECT ${asked('r')} FROM receipt AS r
  WHERE r.merchant = :merchant AND r.standing IN ('generated', 'pending') AND r.expires_at <= :now::int8
  LIMIT :room` as const

/** Those whose buyers ended the payment, or left it. */
export const foundStopped = `SELECT ${asked('r')} FROM receipt AS r
  WHERE r.merchant = :merchant AND r.standing = 'failed' AND r.failure ->> 'failureCode' IN (${stopList})
  LIMIT :room` as const

/** By the time of their creation. */
export const foundByTime = inRange('r.created_at >= :from AND r.created_at < :to', 'r.created_at')
