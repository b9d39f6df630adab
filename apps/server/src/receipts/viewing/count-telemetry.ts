import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'

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
  await needs.db.run(count, [merchant, id, value, now, maxValues, otherValue])
}

/** What was counted of a receipt, the first told first. */
export async function listTelemetry(
  db: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<TelemetryCount[]> {
  const rows = await db.rows<{ value: string; count: bigint; first_at: bigint; last_at: bigint }>(list, [
    merchant,
    id,
  ])
  return rows.map((row) => ({
    value: row.value,
    count: row.count,
    firstAt: Number(row.first_at) as UnixMs,
    lastAt: Number(row.last_at) as UnixMs,
  }))
}

const count = {
  name: 'count-receipt-telemetry',
  text: `INSERT INTO receipt_telemetry (merchant, receipt_id, value, count, first_at, last_at)
    SELECT r.merchant, r.id,
      CASE WHEN known.others < $5::int8 OR known.has_it THEN $3::text ELSE $6::text END, 1, $4::int8, $4::int8
    FROM receipt r, LATERAL (
      SELECT count(*) AS others, coalesce(bool_or(t.value = $3::text), false) AS has_it FROM receipt_telemetry t
      WHERE t.merchant = $1 AND t.receipt_id = $2
    ) AS known
    WHERE r.merchant = $1 AND r.id = $2
    ON CONFLICT (merchant, receipt_id, value)
      DO UPDATE SET count = receipt_telemetry.count + 1, last_at = excluded.last_at`,
}

const list = {
  name: 'list-receipt-telemetry',
  text: `SELECT value, count, first_at, last_at FROM receipt_telemetry
    WHERE merchant = $1 AND receipt_id = $2 ORDER BY first_at, value`,
}
