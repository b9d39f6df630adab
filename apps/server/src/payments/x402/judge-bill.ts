import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { normaliseStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { standingOf } from '../../receipts/receipt.ts'

/** Whether a program is to pay a receipt, and why not. */
export type Bill =
  /** It is to be paid. */
  | 'open'
  /** It is paid, whatever was given back since. */
  | 'paid'
  /** Enough was sent, by whatever way, and awaits confirmation. */
  | 'under-way'
  | 'cancelled'
  | 'expired'
  /** The merchant takes no payments yet. */
  | 'cannot-pay'

/** How a receipt stands for who is about to pay it. Total and pure: an unknown status reads as unpaid. */
export function judgeBill(view: CheckoutView, now: UnixMs): Bill {
  const standing = standingOf({ ...view, status: normaliseStatus(view.status) ?? 'pending' }, now)
  if (standing === 'paid') return 'paid'
  if (standing === 'settling' || isUnderWay(view)) return 'under-way'
  if (standing !== 'open') return standing
  return view.canPay ? 'open' : 'cannot-pay'
}

/** Money that was there and is not at the moment is awaited as well: nobody is asked for it twice. */
function isUnderWay({ payment: { state, missing } }: CheckoutView): boolean {
  if (state === 'late') return BigInt(missing) === 0n
  return state === 'seen' || state === 'paid' || state === 'over' || state === 'orphaned'
}
