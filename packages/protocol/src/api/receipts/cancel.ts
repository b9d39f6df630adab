import { Type } from 'typebox'

export const cancelReceiptResponse = Type.Object({
  ok: Type.Literal(true),
  id: Type.String(),
  status: Type.String({ description: 'As it was: a cancellation changes no status.' }),
  cancelledAt: Type.Integer({ description: 'Unix ms; of the first time where it is repeated.' }),
})
