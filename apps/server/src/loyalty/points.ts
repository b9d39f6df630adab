import type { Cents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8 } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/**
 * Returns the points for a total, in hundredths and rounded down, so that a shop never grants more than its
 * stated rate.
 */
export function pointsFor(total: Cents, perDollarHundredths: bigint): bigint {
  return total > 0n ? (total * perDollarHundredths) / 100n : 0n
}

export async function recordPoints(
  tx: Database,
  merchant: Wallet,
  earned: { receiptId: string; wallet: Wallet; points: bigint; at: UnixMs },
): Promise<void> {
  await tx.run(record({ merchant, ...earned }))
}

export async function takeBackPoints(
  tx: Database,
  merchant: Wallet,
  receiptId: string,
  at: UnixMs,
): Promise<void> {
  await tx.run(takeBack({ merchant, receiptId, at }))
}

/** Returns a wallet's points in hundredths, and the number of receipts they come from. */
export async function findPoints(
  db: Database,
  merchant: Wallet,
  wallet: Wallet,
): Promise<{ points: bigint; receipts: bigint }> {
  return (await db.row(sum({ merchant, wallet }))) ?? { points: 0n, receipts: 0n }
}

const record = statement({
  name: 'record-loyalty-points',
  text: `INSERT INTO loyalty_points (merchant, receipt_id, wallet, points, earned_at)
    VALUES (:merchant, :receiptId, :wallet, :points, :at) ON CONFLICT (merchant, receipt_id) DO NOTHING`,
})

const takeBack = statement({
  name: 'take-back-loyalty-points',
  text: `UPDATE loyalty_points SET taken_back_at = :at
    WHERE merchant = :merchant AND receipt_id = :receiptId AND taken_back_at IS NULL`,
})

const sum = statement({
  name: 'sum-loyalty-points',
  reads: { points: int8(), receipts: int8() },
  text: `SELECT coalesce(sum(points), 0)::int8 AS points, count(*) AS receipts FROM loyalty_points
    WHERE merchant = :merchant AND wallet = :wallet AND taken_back_at IS NULL`,
})
