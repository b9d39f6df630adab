import { addMs } from '@sluice/protocol/time.ts'
import { limitAddress } from '../access/rate-rules.ts'
import { reserveNoted } from '../inventory/reserve-stock.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { type DueReceipt, postponeReceipt } from '../receipts/receipt-due.ts'
import { saveOrderStock } from './store.ts'

const reservedForMs = 15 * 60_000 // decisions: Inventory

/**
 * Reserves the stock of a storefront order for the buyer who begins to pay it, in the transaction that holds the
 * receipt's lock. If the stock is reserved for others, the buyer may still pay, and takes what is left then.
 */
export async function reserveForBuyer(
  { tx, clock }: { readonly tx: Database; readonly clock: Pick<Clock, 'now'> },
  due: DueReceipt,
  address: string,
): Promise<void> {
  const { merchant, receiptId } = due
  const now = clock.now()
  const until = addMs(now, reservedForMs)
  const by = { address: limitAddress(address), now, until }
  if ((await reserveNoted(tx, merchant, receiptId, by)) === 'nothing') return
  await saveOrderStock(tx, merchant, receiptId, { stock: 'held', missing: [], at: now })
  await postponeReceipt(tx, due, until)
}
