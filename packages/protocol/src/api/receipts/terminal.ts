import { type Static, Type } from 'typebox'
import { receiptStatuses } from '../../receipt-status.ts'
import { evaluatedLater } from '../documented.ts'
import { jurisdictionText } from '../tax.ts'
import { currencyCode, receiptDetail, receiptListItem, receiptOptions } from './receipts.ts'

export const terminalRequest = Type.Object({
  amountUsd: evaluatedLater(
    'optional',
    Type.Number({ exclusiveMinimum: 0, description: 'Before tax and fees, in US dollars.' }),
  ),
  amount: evaluatedLater(
    'optional',
    Type.Number({
      exclusiveMinimum: 0,
      description: 'The amount in `currency`. Send either `amount` or `amountUsd`.',
    }),
  ),
  currency: currencyCode,
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Defaults to `Sale`.' })),
  jurisdictionCode: Type.Optional(Type.String({ maxLength: 8, description: jurisdictionText })),
  taxRate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'A fraction with at most six decimals.' }),
  ),
  taxComponents: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 24,
      description: 'Descriptive only.',
    }),
  ),
  ...receiptOptions,
})

export const terminalResponse = Type.Object({
  ok: Type.Literal(true),
  receipt: Type.Object({
    ...receiptListItem.properties,
    customerTotalUsd: Type.Number({ description: 'Total with the processing fee.' }),
  }),
  paymentUrl: Type.String(),
})

export const checkPaymentResponse = Type.Object({
  ok: Type.Literal(true),
  paid: Type.Boolean({
    description: 'Whether the status is paid or reconciled. If so, you can hand over the goods.',
  }),
  status: Type.Enum([...receiptStatuses]),
  transactionHash: Type.Union([Type.String(), Type.Null()]),
  payment: receiptDetail.properties.payment,
})

export type TerminalRequest = Static<typeof terminalRequest>
