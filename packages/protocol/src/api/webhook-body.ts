import { type Static, Type } from 'typebox'
import { receiptStatuses } from '../receipt-status.ts'
import type { WebhookBody } from '../webhook.ts'
import { paymentStates } from './receipts/receipts.ts'

const text = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description })
const category = Type.Union([
  Type.Enum(['card_decline', 'compliance', 'limits', 'blockchain', 'session', 'system']),
  Type.Null(),
])

/** The JSON body of a webhook (contract: Events, Body fields), which is that of an event of the feed too. */
export const webhookBody = Type.Object({
  event: Type.Literal('receipt.status_updated'),
  idempotencyKey: Type.String({ description: 'Deduplicate by this key: it is the same on every retry.' }),
  receiptId: Type.String(),
  status: Type.Enum([...receiptStatuses], { description: 'The current status of the receipt.' }),
  previousStatus: Type.Enum([...receiptStatuses], { description: 'The status before.' }),
  failureCode: text('A PORTAL_* code; null unless failed, like the five fields below.'),
  failureCategory: category,
  failureReason: text(),
  failureAction: text(),
  providerErrorCode: text("The payment provider's own code."),
  providerRequestId: text("The payment provider's support reference."),
  transactionHash: text(),
  buyerWallet: text(),
  merchantWallet: Type.String(),
  totalUsd: Type.Number({ description: "The merchant's total in US dollars." }),
  customerTotalUsd: Type.Optional(Type.Number({ description: 'The total including the processing fee.' })),
  providerSourceAmountUsd: Type.Optional(
    Type.Number({ description: 'The amount from which the payment provider settled, if one was used.' }),
  ),
  token: Type.String({ description: 'The symbol of the payment token.' }),
  providerSessionId: text(),
  isProviderSessionUnique: Type.Boolean(),
  transactionId: text('Your reference, as sent with the receipt.'),
  metadata: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description: 'Your JSON, as sent with the receipt.',
  }),
  brandKey: Type.String(),
  timestamp: Type.Integer({ description: 'When the event happened, in Unix milliseconds.' }),
  sequence: Type.Integer({
    minimum: 1,
    description: 'Of two events of a receipt, the one with the higher number is newer.',
  }),
  paymentState: Type.Enum([...paymentStates], { description: 'The progress of the payment.' }),
})

/** Does not compile where what is sent is not what the schema says. */
type Sent<Body extends Static<typeof webhookBody>> = Body
export type SentWebhookBody = Sent<Omit<WebhookBody, 'paymentState'> & { paymentState: PaymentStateName }>
type PaymentStateName = (typeof paymentStates)[number]
