import { type Static, Type } from 'typebox'
import { maxLines, receiptDetail } from './receipts.ts'

export const editReceiptRequest = Type.Object({
  lineItems: Type.Array(
    Type.Object({
      label: Type.String({ minLength: 1, maxLength: 200 }),
      priceUsd: Type.Number({
        description:
          'The price of the whole line, or of one unit if `totalUsd` equals the sum of unit prices times quantities.',
      }),
      qty: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 })),
    }),
    { minItems: 1, maxItems: maxLines },
  ),
  totalUsd: Type.Optional(Type.Number({ description: 'Must equal the sum of the line items.' })),
})

export const editReceiptResponse = Type.Object({ ok: Type.Literal(true), receipt: receiptDetail })

export type EditReceiptRequest = Static<typeof editReceiptRequest>
