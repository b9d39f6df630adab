import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { invalidInput, Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../receipt.ts'
import { markMoved } from '../receipt-due.ts'
import { lockReceipt, saveProgress } from '../store.ts'

/** Ends every offer of a receipt; what was sent to one is still credited. */
export type CloseOffers = (tx: Database, merchant: Wallet, id: ReceiptId) => Promise<void>

/**
 * Takes the request to pay back: nobody is offered to pay the receipt any more, and the stock of its order goes
 * back. The status stays, nobody is told, and money that was on its way is credited as ever. Safe to repeat.
 *
 * @param cancelling - `by`: who cancels, for the history; `onlyOrigin`: what alone they may cancel.
 * @throws {Refusal} `not_found`; `forbidden` for one of another origin; `invalid_input` once it has been paid.
 */
export async function cancelReceipt(
  needs: { db: Database; clock: Clock; closeOffers: CloseOffers },
  merchant: Wallet,
  { by, onlyOrigin }: { by: string; onlyOrigin?: Receipt['origin'] | undefined },
  id: string,
): Promise<Receipt & { readonly cancelledAt: UnixMs }> {
  const receiptId = parseReceiptId(id)
  if (!receiptId) throw notFound()
  return needs.db.transaction(async (tx) => {
    const before = await lockReceipt(tx, merchant, receiptId)
    if (!before) throw notFound()
    if (onlyOrigin !== undefined && before.origin !== onlyOrigin)
      throw new Refusal(
        'forbidden',
        'A cashier cancels sales of the terminal alone; ask an owner or an admin',
      )
    if (before.cancelledAt !== undefined) return { ...before, cancelledAt: before.cancelledAt }
    if (isSettled(before.status) || before.status === 'paid - ach pending')
      throw invalidInput({ path: '', message: 'This receipt has already been paid' })
    await needs.closeOffers(tx, merchant, receiptId)
    const now = needs.clock.now()
    const receipt = {
      ...before,
      cancelledAt: now,
      // What was awaited is not offered any more.
      payment: before.payment?.state === 'awaiting' ? undefined : before.payment,
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
    await markMoved(tx, merchant, receiptId, now)
    return receipt
  })
}

function notFound(): Refusal {
  return new Refusal('not_found', 'Receipt not found')
}
