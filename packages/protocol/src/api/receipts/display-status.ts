import { Type } from 'typebox'
import { displayStatuses } from '../../receipt-status.ts'
import { queryValue } from '../documented.ts'

export const displayStatus = Type.Enum([...displayStatuses], {
  description:
    'The status, or what cancellation, the money and `expiresAt` make of it. `confirming`: paid, not confirmed yet; `underpaid`: paid in part; `expired`: unpaid at `expiresAt`; `stopped`: failed, since the buyer cancelled or left; `overpaid`: more came, nothing was given back; `reversed`: the network took the payment back.',
})

export const displayFilter = {
  displayStatus: queryValue(
    Type.String({
      description: `One or several, separated by commas: ${displayStatuses.join(', ')}. Each receipt has one, which it is listed with.`,
    }),
    { maxLength: 255 },
  ),
}
