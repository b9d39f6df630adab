import { type Static, Type } from 'typebox'
import { ownBrandKey } from '../brand.ts'
import { noFailure } from '../failures.ts'
import { receiptStatuses } from '../receipt-status.ts'
import { webhookEvent } from '../webhook.ts'
import { paymentStates } from './receipts/receipts.ts'

const text = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description })
const category = Type.Union([
  Type.Enum(['card_decline', 'compliance', 'limits', 'blockchain', 'session', 'system']),
  Type.Null(),
])

/** The JSON body of a webhook (contract: Events, Body fields), which is that of an event of the feed too. */
export const webhookBody = Type.Object({
  event: Type.Literal(webhookEvent),
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

/** What a delivery says. Receivers must ignore fields they do not know. */
export type WebhookBody = Static<typeof webhookBody>

/** The notification of a payment, for documents and tests of a receiver. */
export const sampleWebhookBody: WebhookBody = {
  event: webhookEvent,
  idempotencyKey: 'receipt-status:order-1001:paid:none',
  receiptId: 'order-1001',
  status: 'paid',
  previousStatus: 'pending',
  ...noFailure,
  transactionHash: null,
  buyerWallet: null,
  merchantWallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  totalUsd: 30,
  customerTotalUsd: 30,
  token: 'USDC',
  providerSessionId: null,
  isProviderSessionUnique: false,
  transactionId: null,
  metadata: null,
  brandKey: ownBrandKey,
  timestamp: 1_767_225_600_000,
  sequence: 3,
  paymentState: 'paid',
}
