import { type Static, Type } from 'typebox'
import { failureCategories } from '../../failure-catalogue.ts'
import { receiptStatuses } from '../../receipt-status.ts'
import { degradedFields, evaluatedLater, requiredQueryValue } from '../documented.ts'
import { providerFields } from './provider-fields.ts'

export const reportStatusRequest = Type.Object({
  receiptId: evaluatedLater('required', Type.String()),
  wallet: evaluatedLater('required', Type.String({ description: "The merchant's wallet." })),
  status: evaluatedLater(
    'required',
    Type.String({
      examples: ['link_opened', 'buyer_logged_in', 'checkout_initialized', 'error', 'checkout_success'],
      description:
        'Telemetry (link_opened, buyer_logged_in, checkout_initialized, error, onramp_…) from anyone; checkout_success or refund_requested with an admin session.',
    }),
  ),
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'The reason. The history records it.',
    }),
  ),
})

export const reportStatusResponse = Type.Object({ ok: Type.Literal(true) })

export const reportStatusPromise = Type.Object({
  ok: Type.Literal(true),
  ...degradedFields,
  data: Type.Optional(Type.Unknown({ description: 'With `degraded`: the report that will be recorded.' })),
})

export type ReportStatusRequest = Static<typeof reportStatusRequest>

const nullable = () => Type.Union([Type.String(), Type.Null()])

export const receiptStatusResponse = Type.Object({
  id: Type.String(),
  status: Type.Enum([...receiptStatuses]),
  currency: Type.String({
    description: 'The symbol of the token if the receipt is paid, otherwise the currency of the receipt.',
  }),
  amount: Type.Number(),
  amountRaw: Type.Optional(
    Type.String({ description: 'The amount received in base units, if the receipt was paid in a token.' }),
  ),
  transactionHash: nullable(),
  /** Present only if a card provider session was opened. */
  providerSessionId: Type.Optional(providerFields.providerSessionId),
  isProviderSessionUnique: Type.Optional(providerFields.isProviderSessionUnique),
  providerSourceAmountUsd: providerFields.providerSourceAmountUsd,
  failureCode: nullable(),
  failureCategory: Type.Union([Type.Enum([...failureCategories]), Type.Null()]),
  failureReason: nullable(),
  failureAction: nullable(),
  providerErrorCode: nullable(),
  providerRequestId: nullable(),
})

export type ReceiptStatusResponse = Static<typeof receiptStatusResponse>

export const receiptIdQuery = Type.Object({ receiptId: requiredQueryValue(Type.String()) })
