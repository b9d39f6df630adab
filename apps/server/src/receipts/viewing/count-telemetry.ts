import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { int8, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table } from '../../platform/database/table.ts'

/** A value checkout pages told, and how often. */
export type TelemetryCount = {
  readonly value: string
  readonly count: bigint
  readonly firstAt: UnixMs
  readonly lastAt: UnixMs
}

/** Anybody may tell anything: beyond so many different values of one receipt the rest is counted together. */
const maxValues = 40n
const otherValue = 'other'

/**
 * Counts what a checkout page told of itself. Nothing where there is no such receipt, and nobody is told so;
 * a receipt's status never depends on it.
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

/** What was counted of a receipt, the first told first. */
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

/** How what was told is stored. */
export const telemetryTable = table<TelemetryCount>('receipt_telemetry', {
  value: text(),
  count: int8(),
  firstAt: time(),
  lastAt: time(),
})

/** What {@link listTelemetry} lists of the receipt `r` in a statement that names it and its merchant. */
export const telemetryOfReceipt = `FROM receipt_telemetry WHERE merchant = :merchant AND receipt_id = r.id
  ORDER BY first_at, value` as const

const list = statement({
  name: 'list-receipt-telemetry',
  reads: telemetryTable,
  text: `SELECT ${columnsOf(telemetryTable)} FROM receipt_telemetry
    WHERE merchant = :merchant AND receipt_id = :id ORDER BY first_at, value`,
})
