import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { int8, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table } from '../../platform/database/table.ts'

export type TelemetryCount = {
  readonly value: string
  readonly count: bigint
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
}

/**
 * Limit on distinct values per receipt, because unauthenticated clients choose them. Further values count as
 * `other`.
 */
const maxValues = 40n
const otherValue = 'other'

/**
 * Counts a checkout event. Silently ignores an unknown receipt, so that ids cannot be probed. Never affects
 * the status.
 */
export async function countTelemetry(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  id: ReceiptId,
  value: string,
): Promise<void> {
  const now = needs.clock.now()
  await needs.db.run(count({ merchant, id, value, now, maxValues, otherValue }))
}

export async function listTelemetry(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<TelemetryCount[]> {
  return db.rows(list({ merchant, id }))
}

const count = statement({
  name: 'count-receipt-telemetry',
  text: `INSERT INTO receipt_telemetry (merchant, receipt_id, value, count, first_at, last_at)
    SELECT r.merchant, r.id,
      CASE WHEN known.others < :maxValues::int8 OR known.has_it THEN :value::text ELSE :otherValue::text END, 1,
        :now::int8, :now::int8
    FROM receipt r, LATERAL (
      SELECT count(*) AS others, coalesce(bool_or(t.value = :value::text), false) AS has_it FROM receipt_telemetry t
      WHERE t.merchant = :merchant AND t.receipt_id = :id
    ) AS known
    WHERE r.merchant = :merchant AND r.id = :id
    ON CONFLICT (merchant, receipt_id, value)
      DO UPDATE SET count = receipt_telemetry.count + 1, last_at = excluded.last_at`,
})

export const telemetryTable = table<TelemetryCount>('receipt_telemetry', {
  value: text(),
  count: int8(),
  firstAt: time(),
  lastAt: time(),
})

/** SQL of {@link listTelemetry}, for a statement that provides `:merchant` and a receipt `r`. */
export const telemetryOfReceipt = `FROM receipt_telemetry WHERE merchant = :merchant AND receipt_id = r.id
  ORDER BY first_at, value` as const

const list = statement({
  name: 'list-receipt-telemetry',
  reads: telemetryTable,
  text: `SELECT ${columnsOf(telemetryTable)} FROM receipt_telemetry
    WHERE merchant = :merchant AND receipt_id = :id ORDER BY first_at, value`,
})
