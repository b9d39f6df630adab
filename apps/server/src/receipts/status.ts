import { isSettled, type ReceiptStatus } from '@sluice/protocol/receipt-status.ts'

/** Cause of a change of status. */
export type TriggerKind =
  /** Payment proven by the chain at the required finality, or by a provider's signed event. */
  | 'payment_verified'
  | 'ach_accepted'
  | 'ach_returned'
  /** Verified failure of the current attempt. */
  | 'failure_verified'
  /** The funds are final, and the release or hold of every recipient's part is final too. */
  | 'funds_distributed'
  /** An admin accepts the checkout as successful. */
  | 'checkout_success'
  | 'refund_requested'
  /** Counted refunds cover the amount that the customer paid. */
  | 'refunds_complete'

/** Effect of a trigger on a status. `stay` is a normal result, not an error. */
export type StatusVerdict =
  | { readonly kind: 'move'; readonly to: ReceiptStatus }
  | { readonly kind: 'stay'; readonly because: 'already settled' | 'no such transition' }

type Edges = { readonly [trigger in TriggerKind]: { readonly [from in ReceiptStatus]?: ReceiptStatus } }

/** Every transition. See docs/contract.md#receipt-statuses. */
export const edges: Edges = {
  payment_verified: { generated: 'paid', pending: 'paid', failed: 'paid', 'paid - ach pending': 'paid' },
  ach_accepted: {
    generated: 'paid - ach pending',
    pending: 'paid - ach pending',
    failed: 'paid - ach pending',
  },
  ach_returned: { 'paid - ach pending': 'failed' },
  failure_verified: { generated: 'failed', pending: 'failed' },
  funds_distributed: { paid: 'reconciled' },
  checkout_success: {
    generated: 'paid',
    pending: 'paid',
    failed: 'paid',
    'paid - ach pending': 'paid',
    refund_requested: 'paid',
  },
  refund_requested: { paid: 'refund_requested', reconciled: 'refund_requested' },
  refunds_complete: { paid: 'refunded', reconciled: 'refunded', refund_requested: 'refunded' },
}

export function decideStatus(from: ReceiptStatus, trigger: TriggerKind): StatusVerdict {
  const to = edges[trigger][from]
  if (to) return { kind: 'move', to }
  return { kind: 'stay', because: isSettled(from) ? 'already settled' : 'no such transition' }
}
