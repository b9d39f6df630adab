import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { closeAttempts, listAttempts } from './store.ts'

/**
 * Takes back the offers that pages made to whoever looked at a receipt, so that it can be edited; they stay
 * watched, and what they bring is credited to it. `false`, and nothing is changed, where a buyer asked for one: a
 * wallet may be about to send what it was given.
 *
 * Called under the receipt's lock.
 */
export async function withdrawOffers(
  { tx, clock }: { tx: Database; clock: Clock },
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<boolean> {
  const attempts = await listAttempts(tx, merchant, receiptId)
  const standing = attempts.filter(({ closedAt }) => closedAt === undefined)
  if (standing.some(({ askedAt }) => askedAt !== undefined)) return false
  await closeAttempts(tx, standing, clock.now())
  return true
}
