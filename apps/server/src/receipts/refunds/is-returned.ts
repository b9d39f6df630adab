import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../receipt.ts'
import { takenCents } from './refund.ts'
import { listRefunds } from './store.ts'

/**
 * Whether a receipt was cancelled and money that it was paid with in part was given back. What comes later does not pay
 * it: otherwise a buyer who got a part back could pay the rest alone.
 */
export async function isReturned(
  tx: Database,
  { merchant, id, status, cancelledAt }: Pick<Receipt, 'merchant' | 'id' | 'status' | 'cancelledAt'>,
): Promise<boolean> {
  if (cancelledAt === undefined || isSettled(status)) return false
  return takenCents(await listRefunds(tx, merchant, id), 'price') > 0n
}
