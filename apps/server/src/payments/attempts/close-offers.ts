import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { closeAttempts, listAttempts } from './store.ts'

/** Ends every offer of a receipt, whoever asked for it; they stay watched. Called under the receipt's lock. */
export async function closeOffers(
  { tx, clock }: { tx: Database; clock: Clock },
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<void> {
  const attempts = await listAttempts(tx, merchant, receiptId)
  const standing = attempts.filter(({ closedAt }) => closedAt === undefined)
  await closeAttempts(tx, standing, clock.now())
}
