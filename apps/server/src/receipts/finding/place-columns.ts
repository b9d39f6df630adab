import { displayOf, stopList } from './display-status.ts'

export const display = displayOf('r')

export const asked = <const Row extends string>(row: Row) =>
  `${row}.id, ${row}.currency, ${row}.standing, ${row}.created_at, ${row}.total_cents, ${row}.native_total_cents,
  ${row}.payment, ${row}.failure, ${row}.expires_at, ${row}.refunded_cents` as const

/**
 * SQL conditions that a filter imposes on a row `r`, except currency, status and text. The `+ 0` prevents
 * index use for these conditions, because other conditions select the right index.
 */
export const isInRange = `r.created_at + 0 >= :from AND r.created_at + 0 < :to
  AND r.total_cents + 0 >= :minCents AND r.total_cents + 0 <= :maxCents
  AND coalesce(r.native_total_cents, r.total_cents) >= :minNative
  AND coalesce(r.native_total_cents, r.total_cents) <= :maxNative
  AND (:displayed::text[] IS NULL OR ${display} = ANY(:displayed::text[]))` as const

export const passes =
  `r.currency = ANY(:currencies::text[]) AND r.standing = ANY(:standings::text[]) AND ${isInRange}` as const

/**
 * SQL that checks whether a search text matches a row `r`. Efficient for one row only. Uses scalar subqueries
 * instead of EXISTS, because PostgreSQL would turn EXISTS into a hash of the whole table.
 */
export const isFound = `(NOT :hasText::bool OR starts_with(r.id, :text)
  OR (SELECT true FROM receipt_term AS t WHERE t.merchant = :merchant AND t.term = ANY(:terms::text[])
    AND t.created_at = r.created_at AND t.receipt_id = r.id LIMIT 1)
  OR (:hash::text IS NOT NULL AND (SELECT true FROM payment AS p WHERE p.merchant = :merchant
    AND p.receipt_id = r.id AND p.tx_hash >= :hash AND p.tx_hash < :hashEnd LIMIT 1)))` as const

/** SQL for each requested pair of currency and status, which indexes store as separate ranges. */
export const slots = `(SELECT currency, standing FROM unnest(:currencies::text[]) AS currency,
  unnest(:standings::text[]) AS standing) AS slot` as const

/**
 * SQL for up to `:room` receipts that a text may match, by index. At `:room` the set is incomplete, and only
 * ids are returned.
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

/** SQL for up to `:room` receipts of a range in one index, without the other conditions. */
const inRange = <const Condition extends string, const Key extends string>(condition: Condition, key: Key) =>
  `SELECT r.* FROM ${slots} CROSS JOIN LATERAL (
    SELECT ${asked('r')} FROM receipt AS r
    WHERE r.merchant = :merchant AND r.currency = slot.currency AND r.standing = slot.standing AND ${condition}
    ORDER BY ${key}, r.id LIMIT :room) AS r LIMIT :room` as const

export const foundByAmount = inRange(
  'r.total_cents >= :minCents AND r.total_cents <= :maxCents',
  'r.total_cents',
)

export const foundByNativeAmount = inRange(
  "r.currency <> 'USD' AND r.native_total_cents >= :minNative AND r.native_total_cents <= :maxNative",
  'r.native_total_cents',
)

/** SQL for receipts whose payment state changes their display status. */
export const foundUneven = `SELECT ${asked('r')} FROM receipt AS r
  WHERE r.merchant = :merchant AND r.payment ->> 'state' IN ('seen', 'short', 'over', 'orphaned') LIMIT :room` as const

export const foundExpired = `SELECT ${asked('r')} FROM receipt AS r
  WHERE r.merchant = :merchant AND r.standing IN ('generated', 'pending') AND r.expires_at <= :now::int8
  LIMIT :room` as const

/** SQL for failed receipts whose buyer cancelled or left the payment. */
export const foundStopped = `SELECT ${asked('r')} FROM receipt AS r
  WHERE r.merchant = :merchant AND r.standing = 'failed' AND r.failure ->> 'failureCode' IN (${stopList})
  LIMIT :room` as const

export const foundByTime = inRange('r.created_at >= :from AND r.created_at < :to', 'r.created_at')
