import type { UnixMs } from '@sluice/protocol/time.ts'
import { pointsFor, recordPoints, takeBackPoints } from '../loyalty/points.ts'
import type { Database } from '../platform/database/database.ts'
import { findPointsPerDollar } from '../shop/store.ts'
import type { Receipt } from './receipt.ts'

/**
 * Gives the wallet that paid a receipt its points, by what a dollar earns at that moment, and takes them back when
 * the receipt is refunded. In the transaction that moves the status; safe to repeat.
 */
export async function settlePoints(tx: Database, receipt: Receipt, at: UnixMs): Promise<void> {
  const { merchant, id, status, buyerWallet: wallet } = receipt
  if (status === 'refunded') return takeBackPoints(tx, merchant, id, at)
  if (status !== 'paid' || wallet === undefined) return
  const points = pointsFor(receipt.totalCents, await findPointsPerDollar(tx, merchant))
  if (points > 0n) await recordPoints(tx, merchant, { receiptId: id, wallet, points, at })
}
