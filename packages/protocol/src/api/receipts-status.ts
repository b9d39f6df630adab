import { type Static, Type } from 'typebox'

/**
 * The body of POST /api/receipts/status. The three fields of the contract have error codes of their own and are
 * judged after the schema.
 */
export const reportStatusRequest = Type.Object({
  receiptId: Type.Optional(Type.Unknown({ description: 'String, required.' })),
  wallet: Type.Optional(Type.Unknown({ description: "String, required: the merchant's wallet." })),
  status: Type.Optional(
    Type.Unknown({
      description:
        'String, required. Telemetry (link_opened, buyer_logged_in, checkout_initialized, error, onramp_…) from anybody; checkout_success or refund_requested with an admin session.',
    }),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'Why; kept in the history.' }),
  ),
})

/** The answer of writes to a receipt's status and refunds. */
export const reportStatusAnswer = Type.Object({ ok: Type.Literal(true) })

export type ReportStatusRequest = Static<typeof reportStatusRequest>
