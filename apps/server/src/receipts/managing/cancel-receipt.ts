import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { invalidInput, Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../receipt.ts'
import { type CloseOffers, withdrawRequest } from '../refunds/withdraw-request.ts'
import { lockReceipt } from '../store.ts'

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
    const receipt = await withdrawRequest({ ...needs, tx }, before, by)
    const { cancelledAt } = receipt
    if (cancelledAt === undefined)
      throw invalidInput({ path: '', message: 'This receipt has already been paid' })
    return { ...receipt, cancelledAt }
  })
}

function notFound(): Refusal {
  return new Refusal('not_found', 'Receipt not found')
}
