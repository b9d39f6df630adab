import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { int8, optional, text } from '../../platform/database/columns.ts'
import { statement } from '../../platform/database/statement.ts'
import {
  foundByAmount,
  foundByNativeAmount,
  foundByText,
  foundByTime,
  foundExpired,
  foundUneven,
  isFound,
  isInRange,
  passes,
  slots,
} from './place-columns.ts'

/**
 * SQL that reads one index range per currency and status until the page is full. The other conditions are in
 * a `CASE`, which PostgreSQL estimates as 50 % selective. The product of separate estimates is near zero, and
 * the planner would sort the whole list.
 */
const inOrder = <const Key extends string, const Beyond extends string, const Way extends string>(
  key: Key,
  beyond: Beyond,
  way: Way,
) =>
  `SELECT found.id, found.key FROM ${slots} CROSS JOIN LATERAL (
    SELECT r.id, r.${key} AS key FROM receipt AS r
    WHERE r.merchant = :merchant AND r.currency = slot.currency AND r.standing = slot.standing
      AND (r.${key}, r.id) ${beyond} (:place.key::int8, :place.id::text)
      AND r.${key} >= :low AND r.${key} <= :high AND CASE WHEN ${isInRange} AND ${isFound} THEN true END
    ORDER BY r.${key} ${way}, r.id ${way} LIMIT :count) AS found
  ORDER BY found.key ${way}, found.id ${way} LIMIT :count` as const

/**
 * SQL that filters and orders the candidates of another index, with their count. At `:room` candidates the
 * set is incomplete, and the page is invalid.
 */
const among = <const Candidates extends string, const Beyond extends string, const Way extends string>(
  candidates: Candidates,
  beyond: Beyond,
  way: Way,
) =>
  `WITH candidate AS MATERIALIZED (${candidates})
  SELECT counted.candidates, found.id, found.key
  FROM (SELECT count(*) AS candidates FROM candidate) AS counted LEFT JOIN (
    SELECT r.id, r.key FROM (
      SELECT *, CASE WHEN :isByAmount::bool THEN total_cents ELSE created_at END AS key FROM candidate) AS r
    WHERE (r.key, r.id) ${beyond} (:place.key::int8, :place.id::text) AND ${passes}
    ORDER BY r.key ${way}, r.id ${way} LIMIT :count) AS found ON true
  ORDER BY found.key ${way}, found.id ${way}` as const

const place = { id: text<ReceiptId>(), key: int8() }
const candidatePlace = { candidates: int8(), id: optional(text<ReceiptId>()), key: optional(int8()) }

export const ordered = {
  createdAt: {
    up: statement({
      name: 'find-receipts-by-time-up',
      text: inOrder('created_at', '>', 'ASC'),
      reads: place,
    }),
    down: statement({
      name: 'find-receipts-by-time-down',
      text: inOrder('created_at', '<', 'DESC'),
      reads: place,
    }),
  },
  amount: {
    up: statement({
      name: 'find-receipts-by-amount-up',
      text: inOrder('total_cents', '>', 'ASC'),
      reads: place,
    }),
    down: statement({
      name: 'find-receipts-by-amount-down',
      text: inOrder('total_cents', '<', 'DESC'),
      reads: place,
    }),
  },
}

export const narrowed = {
  text: {
    up: statement({
      name: 'find-receipts-among-text-up',
      text: among(foundByText, '>', 'ASC'),
      reads: candidatePlace,
    }),
    down: statement({
      name: 'find-receipts-among-text-down',
      text: among(foundByText, '<', 'DESC'),
      reads: candidatePlace,
    }),
  },
  amount: {
    up: statement({
      name: 'find-receipts-among-amount-up',
      text: among(foundByAmount, '>', 'ASC'),
      reads: candidatePlace,
    }),
    down: statement({
      name: 'find-receipts-among-amount-down',
      text: among(foundByAmount, '<', 'DESC'),
      reads: candidatePlace,
    }),
  },
  nativeAmount: {
    up: statement({
      name: 'find-receipts-among-native-amount-up',
      text: among(foundByNativeAmount, '>', 'ASC'),
      reads: candidatePlace,
    }),
    down: statement({
      name: 'find-receipts-among-native-amount-down',
      text: among(foundByNativeAmount, '<', 'DESC'),
      reads: candidatePlace,
    }),
  },
  uneven: {
    up: statement({
      name: 'find-receipts-among-uneven-up',
      text: among(foundUneven, '>', 'ASC'),
      reads: candidatePlace,
    }),
    down: statement({
      name: 'find-receipts-among-uneven-down',
      text: among(foundUneven, '<', 'DESC'),
      reads: candidatePlace,
    }),
  },
  expired: {
    up: statement({
      name: 'find-receipts-among-expired-up',
      text: among(foundExpired, '>', 'ASC'),
      reads: candidatePlace,
    }),
    down: statement({
      name: 'find-receipts-among-expired-down',
      text: among(foundExpired, '<', 'DESC'),
      reads: candidatePlace,
    }),
  },
  time: {
    up: statement({
      name: 'find-receipts-among-time-up',
      text: among(foundByTime, '>', 'ASC'),
      reads: candidatePlace,
    }),
    down: statement({
      name: 'find-receipts-among-time-down',
      text: among(foundByTime, '<', 'DESC'),
      reads: candidatePlace,
    }),
  },
}
