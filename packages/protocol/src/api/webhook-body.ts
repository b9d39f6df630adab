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
  idempotencyKey: Type.String({ description: 'Deduplicate by this: stable across retries.' }),
  receiptId: Type.String(),
  status: Type.Enum([...receiptStatuses], { description: 'What the receipt is now.' }),
  previousStatus: Type.Enum([...receiptStatuses], { description: 'What it was before.' }),
  failureCode: text('Of the PORTAL_* family; null unless failed, as the five below.'),
  failureCategory: category,
  failureReason: text(),
  failureAction: text(),
  providerErrorCode: text("The payment provider's own code."),
  providerRequestId: text("The payment provider's support reference."),
  transactionHash: text(),
  buyerWallet: text(),
  merchantWallet: Type.String(),
  totalUsd: Type.Number({ description: "The merchant's order total in US dollars." }),
  customerTotalUsd: Type.Optional(Type.Number({ description: 'With the processing fee.' })),
  providerSourceAmountUsd: Type.Optional(
    Type.Number({ description: 'What the payment provider settled from, where there is one.' }),
  ),
  token: Type.String({ description: "The payment token's symbol." }),
  providerSessionId: text(),
  isProviderSessionUnique: Type.Boolean(),
  transactionId: text('Your reference, as it was sent with the receipt.'),
  metadata: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description: 'Your JSON, as it was sent with the receipt.',
  }),
  brandKey: Type.String(),
  timestamp: Type.Integer({ description: 'Time of the event, Unix milliseconds.' }),
  sequence: Type.Integer({
    minimum: 1,
    description: 'Of two notifications of a receipt the higher is newer.',
  }),
  paymentState: Type.Enum([...paymentStates], { description: 'How far the money is.' }),
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
