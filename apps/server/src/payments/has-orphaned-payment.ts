import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database.ts'

/**
 * Whether the chain took back a payment through this split after it had counted: nothing is distributed
 * from the split until the payment is back, or the receipt is paid otherwise (decisions: Status).
 */
export async function hasOrphanedPayment(db: Database, merchant: Wallet, split: Wallet): Promise<boolean> {
  return (await db.row(find, [merchant, split])) !== undefined
}

const find = {
  name: 'find-orphaned-payment-of-split',
  text: `SELECT 1 AS found FROM payment p
    JOIN attempt a ON a.merchant = p.merchant AND a.id = p.attempt_id
    JOIN receipt r ON r.merchant = p.merchant AND r.id = p.receipt_id
    WHERE p.merchant = $1 AND a.merchant = $1 AND r.merchant = $1 AND a.split_address = $2
      AND p.state = 'orphaned' AND p.credited_at IS NOT NULL AND r.payment ->> 'state' = 'orphaned'
    LIMIT 1`,
}
