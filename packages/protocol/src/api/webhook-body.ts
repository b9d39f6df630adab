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

export const webhookBody = Type.Object({
  event: Type.Literal('receipt.status_updated'),
  idempotencyKey: Type.String({
    description: 'Idempotency key, the same on every retry. Use it to detect duplicates.',
  }),
  receiptId: Type.String(),
  status: Type.Enum([...receiptStatuses], { description: 'The current status of the receipt.' }),
  previousStatus: Type.Enum([...receiptStatuses], { description: 'The previous status.' }),
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
    Type.Number({ description: 'The amount that the payment provider settled, if one was used.' }),
  ),
  token: Type.String({ description: 'The symbol of the payment token.' }),
  providerSessionId: text(),
  isProviderSessionUnique: Type.Boolean(),
  transactionId: text('Your reference, as sent with the receipt.'),
  metadata: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description: 'Your JSON, as sent with the receipt.',
  }),
  brandKey: Type.String(),
  timestamp: Type.Integer({ description: 'Time of the event, in Unix milliseconds.' }),
  sequence: Type.Integer({
    minimum: 1,
    description: 'Of two events of a receipt, the one with the higher number is newer.',
  }),
  paymentState: Type.Enum([...paymentStates], { description: 'The progress of the payment.' }),
})

/** Body of a delivery. Receivers must ignore unknown fields. */
export type WebhookBody = Static<typeof webhookBody>

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
 * Event types with their source, schema and sample. Their idempotency keys start with `keyPrefix`, so that a
 * key identifies the type.
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

export type WebhookKind = keyof typeof webhookKinds

export const webhookKindNames = Object.keys(webhookKinds) as WebhookKind[]

/** @throws for an unknown prefix. */
export function webhookKindOf(idempotencyKey: string): WebhookKind {
  const found = webhookKindNames.find((name) => idempotencyKey.startsWith(`${webhookKinds[name].keyPrefix}:`))
  if (!found) throw new Error(`${idempotencyKey} is not the idempotency key of an event`)
  return found
}

/**
 * Returns the idempotency key by which receivers deduplicate.
 *
 * @param suffix - Distinguishes repeated reports of the same status and hash: the payment event and its
 * block, or a count.
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

/**
 * Percent-encodes all characters except visible ASCII, because the key is also a header value. Also encodes
 * `%`.
 */
function asHeaderText(id: string): string {
  return id.replace(/[^\x21-\x24\x26-\x7e]/gu, encodeURIComponent)
}
