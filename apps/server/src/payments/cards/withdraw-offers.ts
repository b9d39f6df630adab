import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { closeAttempts, listAttempts } from '../attempts/store.ts'
import { nextLook } from './apply-report.ts'
import type { OnrampSession } from './session.ts'
import { listSessions } from './store.ts'

/**
 * Closes the offers that pages made to visitors of a receipt, so that it can be edited. They stay watched, and what
 * they bring is credited to the receipt.
 *
 * Returns `false` and changes nothing if a buyer asked for an offer, which a wallet may be about to pay, or if a session
 * at a provider can still be paid: its page asks for the old total.
 *
 * Called under the receipt's lock.
 */
export async function withdrawOffers(
  { tx, clock }: { tx: Database; clock: Clock },
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<boolean> {
  const now = clock.now()
  const sessions = await listSessions(tx, merchant, receiptId)
  const canBePaid = (session: OnrampSession) =>
    session.state === 'opening' || (session.state !== 'settled' && nextLook(now, session) !== undefined)
  if (sessions.some(canBePaid)) return false
  const attempts = await listAttempts(tx, merchant, receiptId)
  const standing = attempts.filter(({ closedAt }) => closedAt === undefined)
  if (standing.some(({ askedAt }) => askedAt !== undefined)) return false
  await closeAttempts(tx, standing, now)
  return true
}
