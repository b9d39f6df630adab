import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { queueReconcile } from './store.ts'

/**
 * Has a receipt looked at again that is paid once more, its refund no longer wanted: if its money went out to
 * everybody, it becomes reconciled again.
 */
export async function reopenReceipt(
  needs: { tx: Database; clock: Clock },
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<void> {
  await queueReconcile(needs.tx, [{ merchant, receiptId }], needs.clock.now())
}
