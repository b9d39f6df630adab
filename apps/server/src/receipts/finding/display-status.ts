import { isStopCode, stopCodes } from '@sluice/protocol/failures.ts'
import { type DisplayStatus, receiptStatuses, spellingsOf } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { isPast, type Receipt } from '../receipt.ts'

/**
 * Returns the display status of a receipt. {@link displayOf} implements the same rule in SQL.
 *
 * @param now - Chain time, which decides deadlines.
 */
export function displayStatusOf(
  receipt: Pick<Receipt, 'status' | 'cancelledAt' | 'expiresAt' | 'payment' | 'failure' | 'refundedCents'>,
  now: UnixMs,
): DisplayStatus {
  const { status, cancelledAt, expiresAt, payment, refundedCents } = receipt
  const state = payment?.state
  const isUnpaid = status === 'generated' || status === 'pending' || status === 'failed'
  if (isUnpaid) {
    if (cancelledAt !== undefined) return 'cancelled'
    if (state === 'orphaned') return 'reversed'
    if (state === 'short') return 'underpaid'
    if (state === 'seen') return 'confirming'
    if (status === 'failed') return isStopCode(receipt.failure?.failureCode) ? 'stopped' : status
    return isPast(expiresAt, now) ? 'expired' : status
  }
  if (status !== 'paid' && status !== 'reconciled') return status
  if (state === 'orphaned') return 'reversed'
  return state === 'over' && refundedCents === 0n ? 'overpaid' : status
}

/** Stored statuses that can result in each derived display status. */
export const madeFrom: Readonly<Partial<Record<DisplayStatus, readonly (typeof receiptStatuses)[number][]>>> =
  {
    confirming: ['generated', 'pending', 'failed'],
    underpaid: ['generated', 'pending', 'failed'],
    expired: ['generated', 'pending'],
    stopped: ['failed'],
    overpaid: ['paid', 'reconciled'],
    reversed: ['generated', 'pending', 'failed', 'paid', 'reconciled'],
  }

const quoted = (...statuses: readonly (typeof receiptStatuses)[number][]) =>
  statuses.flatMap(spellingsOf).map((spelling) => `'${spelling}'`)

const canonical = receiptStatuses
  .flatMap((status) =>
    quoted(status)
      .slice(1)
      .map((spelling) => `WHEN ${spelling} THEN '${status}'`),
  )
  .join(' ')

export const stopList = stopCodes.map((code) => `'${code}'`).join(', ')

/**
 * SQL for the display status of a `receipt` row at `:now`. Same rule as {@link displayStatusOf}. Old rows
 * may hold a legacy status.
 */
export const displayOf = <const Row extends string>(row: Row) =>
  `coalesce(CASE
    WHEN ${row}.standing IN (${quoted('generated', 'pending', 'failed', 'paid', 'reconciled').join(', ')}) THEN CASE
      WHEN ${row}.payment ->> 'state' = 'orphaned' THEN 'reversed'
      WHEN ${row}.standing IN (${quoted('paid', 'reconciled').join(', ')}) THEN CASE
        WHEN ${row}.payment ->> 'state' = 'over' AND ${row}.refunded_cents = 0 THEN 'overpaid' END
      WHEN ${row}.payment ->> 'state' = 'short' THEN 'underpaid'
      WHEN ${row}.payment ->> 'state' = 'seen' THEN 'confirming'
      WHEN ${row}.standing IN ('generated', 'pending') AND ${row}.expires_at <= :now::int8 THEN 'expired'
      WHEN ${row}.failure ->> 'failureCode' IN (${stopList}) AND ${row}.standing NOT IN ('generated', 'pending')
        THEN 'stopped' END END,
    CASE ${row}.standing ${canonical} ELSE ${row}.standing END)` as const
