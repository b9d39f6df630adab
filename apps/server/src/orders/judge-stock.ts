import { isSettled } from '@sluice/protocol/receipt-status.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Receipt } from '../receipts/receipt.ts'
import { never } from '../receipts/receipt-due.ts'

/** What is to become of the stock an order holds; `keep` says when to look again. */
export type StockVerdict =
  | { readonly kind: 'take' }
  | { readonly kind: 'give-back' }
  | { readonly kind: 'keep'; readonly until: UnixMs }

const lookAgainMs = 15_000

/**
 * Where the stock of a receipt belongs, from its status and its time alone.
 *
 * An offer to pay ends with its receipt, but what was sent in time may not have been read yet: a receipt with
 * an attempt has expired only when the blocks up to its end were read and hold nothing that waits for its depth.
 *
 * @param scannedTo - Time of the last block that was read, as far as any was.
 * @param holdEnd - When the reservation of a storefront order ends, which can be before its receipt does.
 */
export function judgeStock(
  receipt: Pick<Receipt, 'status' | 'expiresAt' | 'cancelledAt' | 'payment'>,
  now: UnixMs,
  scannedTo: UnixMs | undefined,
  holdEnd?: UnixMs,
): StockVerdict {
  const { status, payment } = receipt
  // One that was cancelled ended then.
  const end = receipt.cancelledAt ?? receipt.expiresAt
  const expiresAt = holdEnd !== undefined && (end === undefined || holdEnd < end) ? holdEnd : end
  if (isSettled(status)) return { kind: 'take' }
  if (status === 'failed') return { kind: 'give-back' }
  if (status === 'paid - ach pending' || expiresAt === undefined) return { kind: 'keep', until: never }
  if (now < expiresAt) return { kind: 'keep', until: expiresAt }
  if (!payment || payment.state === 'none') return { kind: 'give-back' }
  const isWaiting = payment.state === 'seen' || scannedTo === undefined || scannedTo < expiresAt
  return isWaiting ? { kind: 'keep', until: addMs(now, lookAgainMs) } : { kind: 'give-back' }
}
