import { Type } from 'typebox'

export const cancelReceiptResponse = Type.Object({
  ok: Type.Literal(true),
  id: Type.String(),
  status: Type.String({ description: 'The unchanged status. A cancellation does not change it.' }),
  cancelledAt: Type.Integer({
    description: 'Unix milliseconds of the first cancellation, even if the request is repeated.',
  }),
})
