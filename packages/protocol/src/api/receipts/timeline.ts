import { Type } from 'typebox'

const status = Type.Union([Type.String(), Type.Null()])

export const receiptTimeline = Type.Object({
  receiptId: Type.String(),
  entries: Type.Array(
    Type.Object({
      at: Type.Integer({ description: 'Unix milliseconds.' }),
      kind: Type.String({
        description:
          'Kind of entry: an event of the receipt, `webhook_attempt`, or `checkout_event` for a report of a checkout page.',
      }),
      fromStatus: status,
      toStatus: status,
      detail: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  omitted: Type.Integer({ description: 'The number of entries omitted from the middle of a long timeline.' }),
})
