import { isSettled, type ReceiptStatus } from '@sluice/protocol/receipt-status.ts'

/** What may move a receipt's status. There are no others. */
export type TriggerKind =
  /** The chain at the required finality, or a provider's signed event, proves the payment. */
  | 'payment_verified'
  | 'ach_accepted'
  | 'ach_returned'
  /** A verified failure of the receipt's current attempt. */
  | 'failure_verified'
  /** The funds are final and every recipient's part is released or held for it, that too final. */
  | 'funds_distributed'
  /** An admin takes the checkout for successful. */
  | 'checkout_success'
  | 'refund_requested'
  /** The refunds that count have reached what the customer paid. */
  | 'refunds_complete'

/** What a trigger does to a status. Staying is a normal answer, not an error. */
export type StatusVerdict =
  | { readonly kind: 'move'; readonly to: ReceiptStatus }
  | { readonly kind: 'stay'; readonly because: 'already settled' | 'no such transition' }

type Edges = { readonly [trigger in TriggerKind]: { readonly [from in ReceiptStatus]?: ReceiptStatus } }

/** The one table of edges (contract: States and transitions; decisions: Status). */
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

/** Pure and total: every pair of status and trigger has an answer. */
export function decideStatus(from: ReceiptStatus, trigger: TriggerKind): StatusVerdict {
  const to = edges[trigger][from]
  if (to) return { kind: 'move', to }
  return { kind: 'stay', because: isSettled(from) ? 'already settled' : 'no such transition' }
}
