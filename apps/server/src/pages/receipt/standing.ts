import type { ReceiptView } from '../../payments/tracking/receipt-view.ts'
import type { SignName, Tone } from '../html/parts.ts'

/** How each standing of a paid receipt looks, beside its word. */
export const looks = {
  paid: { tone: 'good', sign: 'check' },
  reversed: { tone: 'bad', sign: 'alert' },
  'refund-requested': { tone: 'wait', sign: 'back' },
  'partly-refunded': { tone: 'good', sign: 'back' },
  refunded: { tone: 'plain', sign: 'back' },
} as const satisfies Record<string, { tone: Tone; sign: SignName }>

/** A standing that has a receipt to show. */
export type PaidStanding = keyof typeof looks

/** The standing of a paid receipt; what is not paid has none. */
export function paidStanding({ standing }: Pick<ReceiptView, 'standing'>): PaidStanding | undefined {
  return standing === 'unpaid' || standing === 'bank-pending' || standing === 'cancelled'
    ? undefined
    : standing
}
