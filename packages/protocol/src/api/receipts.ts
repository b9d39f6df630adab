import { type Static, Type } from 'typebox'
import { maxUnixMs } from '../time.ts'
import { refundView } from './refunds.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }))
const url = () => Type.Optional(Type.String({ minLength: 1, maxLength: 2048 }))

/** Text limits of what callers send (decisions: Everywhere). */
export const maxLines = 500

const lineItem = Type.Object({
  label: Type.String({ minLength: 1, maxLength: 200 }),
  priceUsd: Type.Optional(Type.Number({ description: 'Legacy format: US dollars.' })),
  amount: Type.Optional(
    Type.Number({
      description: "Native format: extended line amount in the receipt's currency, whole cents.",
    }),
  ),
  qty: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 })),
})

/** Billing fields with the other names they may be sent under. */
export const billingAliases = {
  billingFirstName: ['customerFirstName'],
  billingLastName: ['customerLastName'],
  billingEmail: ['customerEmail'],
  billingPhone: ['customerPhone'],
  billingAddressLine1: ['customerAddressLine1'],
  billingAddressLine2: ['customerAddressLine2'],
  billingAddressCity: ['customerAddressCity'],
  billingAddressState: ['customerAddressState'],
  billingAddressPostalCode: ['billingAddressZip', 'customerAddressPostalCode'],
  billingAddressCountry: ['customerAddressCountry'],
} as const

/** What the body of everything that makes a receipt may hold beside what is sold. */
export const receiptOptions = {
  redirect_url: url(),
  redirectUrl: url(),
  returnUrl: url(),
  return_url: url(),
  webhook_url: url(),
  webhookUrl: url(),
  onSuccess: text(4000),
  providerEmail: text(254),
  billingFirstName: text(200),
  customerFirstName: text(200),
  billingLastName: text(200),
  customerLastName: text(200),
  billingEmail: text(254),
  customerEmail: text(254),
  billingPhone: text(64),
  customerPhone: text(64),
  billingAddressLine1: text(200),
  customerAddressLine1: text(200),
  billingAddressLine2: text(200),
  customerAddressLine2: text(200),
  billingAddressCity: text(200),
  customerAddressCity: text(200),
  billingAddressState: text(64),
  customerAddressState: text(64),
  billingAddressPostalCode: text(32),
  billingAddressZip: text(32),
  customerAddressPostalCode: text(32),
  billingAddressCountry: text(64),
  customerAddressCountry: text(64),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  transactionId: text(255),
  clientTransactionId: text(255),
  expiresAt: Type.Optional(
    Type.Integer({ minimum: 0, maximum: maxUnixMs, description: 'Unix milliseconds.' }),
  ),
}

/** The body of POST /api/receipts. Rules between fields are judged after the schema. */
export const createReceiptRequest = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128 }),
  lineItems: Type.Array(lineItem, { minItems: 1, maxItems: maxLines }),
  currency: Type.Optional(Type.String({ maxLength: 16 })),
  total: Type.Optional(Type.Number()),
  totalUsd: Type.Optional(Type.Number()),
  ...receiptOptions,
  jurisdictionCode: text(8),
  taxRate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  taxComponents: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 24 })),
})

const optionsObject = Type.Object(receiptOptions)

/** {@link receiptOptions} as they come in a body. */
export type ReceiptOptionsRequest = Static<typeof optionsObject>
export type CreateReceiptRequest = Static<typeof createReceiptRequest>

/** The 201 of POST /api/receipts. */
export const createReceiptAnswer = Type.Object({
  id: Type.String(),
  paymentUrl: Type.String(),
  status: Type.Literal('pending'),
  redirectUrl: Type.Union([Type.String(), Type.Null()]),
  webhookUrl: Type.Union([Type.String(), Type.Null()]),
})

export type CreateReceiptAnswer = Static<typeof createReceiptAnswer>

const wireLine = Type.Object({
  label: Type.String(),
  priceUsd: Type.Number(),
  qty: Type.Optional(Type.Number()),
  amount: Type.Optional(Type.Number()),
})

const pricing = Type.Object({
  valuation: Type.Object({
    version: Type.Integer(),
    currency: Type.String(),
    usdPerUnit: Type.Number(),
    quotedAt: Type.Integer(),
    provider: Type.String(),
  }),
  originalTotal: Type.Number(),
  originalLineItems: Type.Array(
    Type.Object({ label: Type.String(), amount: Type.Number(), qty: Type.Optional(Type.Number()) }),
  ),
})

const listFields = {
  receiptId: Type.String(),
  totalUsd: Type.Number(),
  currency: Type.String(),
  lineItems: Type.Array(wireLine),
  createdAt: Type.Integer({ description: 'Unix time in milliseconds' }),
  brandName: Type.String(),
  status: Type.String(),
  total: Type.Optional(Type.Number()),
  pricing: Type.Optional(pricing),
}

/** A receipt in GET /api/receipts. */
export const receiptListItem = Type.Object(listFields)

export type ReceiptListItem = Static<typeof receiptListItem>

const nullable = (maxLength?: number) =>
  Type.Union([Type.String(maxLength === undefined ? {} : { maxLength }), Type.Null()])

/** Amounts in the token of the attempt that counts: a number to show, and base units as text. */
const paymentView = Type.Object({
  state: Type.String(),
  token: nullable(),
  due: Type.Number(),
  dueRaw: Type.String(),
  received: Type.Number(),
  receivedRaw: Type.String(),
  missing: Type.Number(),
  missingRaw: Type.String(),
  excess: Type.Number(),
  excessRaw: Type.String(),
  confirmations: Type.Integer(),
  finality: Type.String(),
  coverage: Type.Object({
    blockNumber: Type.Union([Type.Integer(), Type.Null()]),
    scannedTo: Type.Union([Type.Integer(), Type.Null()]),
  }),
})

/** A receipt in GET /api/receipts/{id}. */
export const receiptDetail = Type.Object({
  ...listFields,
  jurisdictionCode: nullable(),
  taxRate: Type.Union([Type.Number(), Type.Null()]),
  taxComponents: Type.Array(Type.String()),
  transactionHash: nullable(),
  transactionTimestamp: Type.Union([Type.Integer(), Type.Null()]),
  billingAddress: Type.Union([
    Type.Object({
      firstName: Type.String(),
      lastName: Type.String(),
      phone: Type.String(),
      email: Type.String(),
      line1: Type.String(),
      line2: Type.String(),
      city: Type.String(),
      state: Type.String(),
      zip: Type.String(),
      country: Type.String(),
    }),
    Type.Null(),
  ]),
  customerTotalUsd: Type.Number(),
  payment: paymentView,
  timeline: Type.Array(
    Type.Object({
      at: Type.Integer(),
      kind: Type.String(),
      fromStatus: nullable(),
      toStatus: nullable(),
      detail: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  refunds: Type.Array(refundView),
  telemetry: Type.Array(
    Type.Object({
      value: Type.String({ description: 'What checkout pages told of themselves; proves nothing.' }),
      count: Type.Integer(),
      firstAt: Type.Integer(),
      lastAt: Type.Integer(),
    }),
  ),
  split: Type.Union([Type.Object({ address: Type.String(), version: Type.Integer() }), Type.Null()]),
  metadata: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  transactionId: nullable(),
  expiresAt: Type.Union([Type.Integer(), Type.Null()]),
  providerEmail: nullable(),
})

export type ReceiptDetail = Static<typeof receiptDetail>

/** The answer of GET /api/receipts. */
export const receiptList = Type.Object({
  receipts: Type.Array(receiptListItem),
  nextCursor: nullable(),
})

/** The answer of GET /api/receipts/status. */
export const receiptStatusAnswer = Type.Object({
  id: Type.String(),
  status: Type.String(),
  currency: Type.String({ description: "The token's symbol once paid, the receipt's currency before." }),
  amount: Type.Number(),
  amountRaw: Type.Optional(Type.String({ description: 'Base units received, once paid in a token.' })),
  transactionHash: nullable(),
  failureCode: nullable(),
  failureCategory: nullable(),
  failureReason: nullable(),
  failureAction: nullable(),
  providerErrorCode: nullable(),
  providerRequestId: nullable(),
})

export type ReceiptStatusAnswer = Static<typeof receiptStatusAnswer>
