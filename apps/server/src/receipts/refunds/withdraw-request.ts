import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../receipt.ts'
import { markMoved } from '../receipt-due.ts'
import { saveProgress } from '../store.ts'

/** Closes all offers of a receipt. Payments to a closed offer are still credited. */
export type CloseOffers = (tx: Database, merchant: Wallet, id: ReceiptId) => Promise<void>

/**
 * Cancels the payment request of a receipt. Has no effect if already cancelled, if paid, or if a bank payment
 * is pending. The caller must hold the row lock.
 *
 * @param by - Actor, for the history.
 */
export async function withdrawRequest(
  needs: { tx: Database; clock: Clock; closeOffers: CloseOffers },
  before: Receipt,
  by: string,
): Promise<Receipt> {
  const { tx } = needs
  const { merchant, id, status, payment } = before
  if (before.cancelledAt !== undefined || isSettled(status) || status === 'paid - ach pending') return before
  await needs.closeOffers(tx, merchant, id)
  const now = needs.clock.now()
  const receipt: Receipt = {
    ...before,
    cancelledAt: now,
    payment: payment?.state === 'awaiting' ? undefined : payment,
    updatedAt: now,
    historyCount: before.historyCount + 1n,
  }
  await saveProgress(tx, receipt, {
    seq: receipt.historyCount,
    kind: 'cancelled',
    fromStatus: undefined,
    toStatus: undefined,
    detail: { by },
    at: now,
  })
  await markMoved(tx, merchant, id, now)
  return receipt
}
