/** Status of a sale as shown to the buyer. */
export type Standing = 'waiting' | 'seen' | 'short' | 'paid' | 'failed'

/** Returns the displayed status. Goods may be handed over only if the status is `paid`. */
export function standingOf(check: {
  readonly paid: boolean
  readonly status: string
  readonly payment: { readonly state: string }
}): Standing {
  if (check.paid) return 'paid'
  if (check.status === 'failed') return 'failed'
  if (check.payment.state === 'short') return 'short'
  return ['seen', 'paid', 'over', 'late'].includes(check.payment.state) ? 'seen' : 'waiting'
}
