import { Type } from 'typebox'
import { displayStatuses } from '../../receipt-status.ts'
import { queryValue } from '../documented.ts'

export const displayStatus = Type.Enum([...displayStatuses], {
  description:
    'The status to display, derived from the status, cancellation, payments and `expiresAt`. `confirming`: paid, not confirmed yet; `underpaid`: partially paid; `expired`: unpaid at `expiresAt`; `stopped`: failed because the buyer cancelled or left; `overpaid`: overpaid and not refunded; `reversed`: the network reversed the payment.',
})

export const displayFilter = {
  displayStatus: queryValue(
    Type.String({
      description: `One or several, separated by commas: ${displayStatuses.join(', ')}. Each receipt has exactly one.`,
    }),
    { maxLength: 255 },
  ),
}
