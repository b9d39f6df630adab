/** How far a sale is, as a buyer has to know it. */
export type Standing = 'waiting' | 'seen' | 'short' | 'paid' | 'failed'

/** Reads the answer of a check: the goods are handed over for `paid` alone. */
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
