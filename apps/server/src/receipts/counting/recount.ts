import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import { statement } from '../../platform/database/statement.ts'
import { tallied, tallySpans } from '../tally-columns.ts'
import { findFirstTime } from './first-time.ts'

/** Receipts of so many days are counted at a time. */
const daysAtOnce = 7

/**
 * Counts a merchant's receipts anew and notes where the tallies differ, as they do after a release that did not know them
 * has written receipts beside this one. A statement sees receipts, tallies and notes of one moment, and what it writes is
 * added, so that whatever is written meanwhile is neither lost nor counted twice.
 *
 * @returns how many tallies were put right.
 */
export async function recountTallies(db: Database, merchant: Wallet, now: number): Promise<number> {
  const first = await findFirstTime(db, merchant)
  if (first === undefined) return 0
  let corrected = 0
  const step = daysAtOnce * tallySpans.day
  for (let from = first - (first % tallySpans.day); from <= now; from += step) {
    const range = { merchant, from, to: from + step, quarter: tallySpans.quarter }
    corrected += await db.transaction(async (tx) => {
      // Two that count at the same time would both put right what one has.
      await tx.row(lock({ merchant }))
      return tx.run(correct(range))
    })
  }
  return corrected
}

const lock = statement({
  name: 'lock-merchant-to-recount',
  text: 'SELECT merchant FROM merchant WHERE merchant = :merchant FOR NO KEY UPDATE',
  reads: { merchant: text() },
})

const amounts = 'total_cents, native_cents, fee_cents, refunded_cents'

const correct = statement({
  name: 'correct-receipt-tallies',
  limitMs: longStatementLimitMs,
  text: `WITH corrected AS (INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, ${amounts})
    SELECT :merchant, quarter, currency, status, sum(receipts), sum(total_cents), sum(native_cents), sum(fee_cents),
      sum(refunded_cents)
    FROM (
      SELECT *, 1::int8 AS receipts FROM (SELECT ${tallied} FROM receipt
        WHERE merchant = :merchant AND created_at >= :from AND created_at < :to) AS found
      UNION ALL
      SELECT start, currency, status, -total_cents, -native_cents, -fee_cents, -refunded_cents, -receipts
      FROM receipt_tally
      WHERE merchant = :merchant AND span = :quarter AND start >= :from AND start < :to
      UNION ALL
      SELECT quarter, currency, status, -total_cents, -native_cents, -fee_cents, -refunded_cents, -receipts
      FROM receipt_tally_change WHERE merchant = :merchant AND quarter >= :from AND quarter < :to
    ) AS counted GROUP BY quarter, currency, status
    HAVING sum(receipts) <> 0 OR sum(total_cents) <> 0 OR sum(native_cents) <> 0 OR sum(fee_cents) <> 0
      OR sum(refunded_cents) <> 0 RETURNING id)
    SELECT id FROM corrected`,
})
