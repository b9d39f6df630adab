import { type Static, Type } from 'typebox'
import { ownBrandKey } from '../brand.ts'
import { noFailure } from '../failures.ts'
import { type ReceiptStatus, receiptStatuses } from '../receipt-status.ts'
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

/** What a delivery says. Receivers must ignore fields they do not know. */
export type WebhookBody = Static<typeof webhookBody>

/** The notification of a payment, for documents and tests of a receiver. */
export const sampleWebhookBody: WebhookBody = {
  event: 'receipt.status_updated',
  idempotencyKey: `receipt-status:order-1001:paid:0x${'4e'.repeat(32)}`,
  receiptId: 'order-1001',
  status: 'paid',
  previousStatus: 'pending',
  ...noFailure,
  transactionHash: `0x${'4e'.repeat(32)}`,
  buyerWallet: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  merchantWallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  totalUsd: 30,
  customerTotalUsd: 30,
  token: 'USDC',
  providerSessionId: null,
  isProviderSessionUnique: false,
  transactionId: null,
  metadata: null,
  brandKey: ownBrandKey,
  timestamp: Date.UTC(2026, 0, 15, 12, 1, 35),
  sequence: 3,
  paymentState: 'paid',
}

/**
 * Every kind of event by its name (contract: Events): what it is made from, its body and an example of that.
 * Its idempotency keys begin with `keyPrefix`, so that each row that has a key says its kind.
 */
export const webhookKinds = {
  'receipt.status_updated': {
    summary: 'The status of a receipt changed',
    madeFrom: 'receipt',
    keyPrefix: 'receipt-status',
    schema: webhookBody,
    sample: sampleWebhookBody,
  },
} as const

/** The name of a kind of event. */
export type WebhookKind = keyof typeof webhookKinds

/** All of them. */
export const webhookKindNames = Object.keys(webhookKinds) as WebhookKind[]

/** The kind of what goes under an idempotency key. */
export function webhookKindOf(idempotencyKey: string): WebhookKind {
  const found = webhookKindNames.find((name) => idempotencyKey.startsWith(`${webhookKinds[name].keyPrefix}:`))
  if (!found) throw new Error(`${idempotencyKey} is the key of no kind of event`)
  return found
}

/**
 * The key receivers deduplicate by.
 *
 * @param suffix - Where the same status and hash are reported again: what happened to the payment and in which
 * block, or which time it is.
 */
export function webhookIdempotencyKey(
  receiptId: string,
  status: ReceiptStatus,
  transactionHash: string | null | undefined,
  suffix?: string,
): string {
  const { keyPrefix } = webhookKinds['receipt.status_updated']
  const key = `${keyPrefix}:${asHeaderText(receiptId)}:${status}:${transactionHash || 'none'}`
  return suffix ? `${key}:${suffix}` : key
}

/** The key is a header too, which takes visible ASCII only: what else an id has is percent-encoded, `%` with it. */
function asHeaderText(id: string): string {
  return id.replace(/[^\x21-\x24\x26-\x7e]/gu, encodeURIComponent)
}
