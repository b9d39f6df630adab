import { type Static, Type } from 'typebox'
import { receiptStatuses } from '../../receipt-status.ts'
import { maxUnixMs } from '../../time.ts'
import { type Documented, degradedFields, documentedKey } from '../documented.ts'
import { jurisdictionText } from '../tax.ts'
import { displayStatus } from './display-status.ts'
import { proof, providerFields } from './provider-fields.ts'
import { receiptLinks } from './receipt-links.ts'
import { refundView } from './refunds.ts'

const text = (maxLength: number, description?: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, ...(description && { description }) }))
const url = (description: string) => text(2048, description)

/** Declares an alias. The handler rejects a request if the alias and the field differ. */
const alias = (maxLength: number, name: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength, deprecated: true, description: `Alias of \`${name}\`.` }),
  )

export const maxLines = 500

const lineItem = Type.Object({
  label: Type.String({ minLength: 1, maxLength: 200 }),
  priceUsd: Type.Optional(Type.Number({ description: 'Legacy format: US dollars.' })),
  amount: Type.Optional(
    Type.Number({
      description: "Native format: the amount of the whole line in the receipt's currency, in whole cents.",
    }),
  ),
  qty: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 })),
})

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

export const receiptOptions = {
  redirect_url: url(
    'An https URL to which the card provider redirects the buyer after its hosted flow. The checkout also redirects there after other payments if neither `returnUrl` nor `onSuccess` contains a URL.',
  ),
  redirectUrl: alias(2048, 'redirect_url'),
  returnUrl: url('The URL to which the buyer is redirected after a successful payment.'),
  return_url: alias(2048, 'returnUrl'),
  webhook_url: url('An https URL that receives status changes.'),
  webhookUrl: alias(2048, 'webhook_url'),
  onSuccess: text(
    4000,
    'A redirect URL, used like `returnUrl` if `returnUrl` is not set. Or a script that runs in a sandboxed frame of the checkout after a successful payment. The script reads the result from `payment` and can redirect to one https page.',
  ),
  providerEmail: text(254, "Prefills the provider's email field. Defaults to the billing email."),
  billingFirstName: text(200),
  customerFirstName: alias(200, 'billingFirstName'),
  billingLastName: text(200),
  customerLastName: alias(200, 'billingLastName'),
  billingEmail: text(254),
  customerEmail: alias(254, 'billingEmail'),
  billingPhone: text(64),
  customerPhone: alias(64, 'billingPhone'),
  billingAddressLine1: text(200),
  customerAddressLine1: alias(200, 'billingAddressLine1'),
  billingAddressLine2: text(200),
  customerAddressLine2: alias(200, 'billingAddressLine2'),
  billingAddressCity: text(200),
  customerAddressCity: alias(200, 'billingAddressCity'),
  billingAddressState: text(64, 'Preferably two letters.'),
  customerAddressState: alias(64, 'billingAddressState'),
  billingAddressPostalCode: text(32),
  billingAddressZip: alias(32, 'billingAddressPostalCode'),
  customerAddressPostalCode: alias(32, 'billingAddressPostalCode'),
  billingAddressCountry: text(64, 'Two-letter ISO 3166-1 code.'),
  customerAddressCountry: alias(64, 'billingAddressCountry'),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Your own data; at most 8 KiB of JSON.' }),
  ),
  transactionId: text(255, 'Your own reference. Webhooks include it.'),
  clientTransactionId: alias(255, 'transactionId'),
  expiresAt: Type.Optional(
    Type.Integer({ minimum: 0, maximum: maxUnixMs, description: 'Unix milliseconds.' }),
  ),
}

const documentedCurrency: Documented = {
  schema: Type.Enum(['USD', 'EUR'], { description: 'Defaults to USD. Case does not matter.' }),
  isRequired: false,
}

export const currencyCode = Type.Optional(Type.String({ maxLength: 16, [documentedKey]: documentedCurrency }))

export const createReceiptRequest = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 128, description: 'Your own unique id.' }),
  lineItems: Type.Array(lineItem, {
    minItems: 1,
    maxItems: maxLines,
    description: 'All with `priceUsd` (legacy format) or all with `amount` (native format).',
  }),
  currency: currencyCode,
  total: Type.Optional(Type.Number({ description: 'Native format: the sum of the amounts (the default).' })),
  totalUsd: Type.Optional(Type.Number({ description: 'Required in the legacy format.' })),
  ...receiptOptions,
  jurisdictionCode: text(8, jurisdictionText),
  taxRate: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'A fraction.' })),
  taxComponents: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 24 })),
})

const optionsObject = Type.Object(receiptOptions)

export type ReceiptOptionsRequest = Static<typeof optionsObject>
export type CreateReceiptRequest = Static<typeof createReceiptRequest>

export const createReceiptResponse = Type.Object({
  id: Type.String(),
  paymentUrl: Type.String(),
  status: Type.Literal('pending'),
  redirectUrl: Type.Union([Type.String(), Type.Null()], {
    description: 'The `redirect_url` of the request.',
  }),
  webhookUrl: Type.Union([Type.String(), Type.Null()], { description: 'The `webhook_url` of the request.' }),
})

export type CreateReceiptResponse = Static<typeof createReceiptResponse>

const status = Type.Enum([...receiptStatuses])

const wireCurrency = Type.Enum(['USD', 'EUR'])

const wireLine = Type.Object({
  label: Type.String(),
  priceUsd: Type.Number(),
  qty: Type.Optional(Type.Number()),
  amount: Type.Optional(Type.Number()),
})

const pricing = Type.Object({
  valuation: Type.Object({
    version: Type.Integer(),
    currency: wireCurrency,
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
  currency: wireCurrency,
  lineItems: Type.Array(wireLine),
  createdAt: Type.Integer({ description: 'Unix time in milliseconds' }),
  brandName: Type.String(),
  status,
  displayStatus,
  total: Type.Optional(Type.Number({ description: 'Native format: the total in `currency`.' })),
  pricing: Type.Optional(pricing),
}

export const receiptListItem = Type.Object({
  ...listFields,
  cancelledAt: Type.Optional(Type.Integer({ description: 'Present only if the receipt was cancelled.' })),
})

export type ReceiptListItem = Static<typeof receiptListItem>

const nullable = (maxLength?: number) =>
  Type.Union([Type.String(maxLength === undefined ? {} : { maxLength }), Type.Null()])

export const paymentStates = [
  'none',
  'awaiting',
  'seen',
  'short',
  'paid',
  'over',
  'late',
  'expired',
  'orphaned',
] as const

/**
 * Payment amounts in the token of the current attempt, as number and base units. `received` covers only that
 * token. `due`, `missing` and `excess` cover all tokens.
 */
const paymentView = Type.Object({
  state: Type.Enum(paymentStates),
  provenBy: proof,
  token: nullable(),
  due: Type.Number(),
  dueRaw: Type.String(),
  received: Type.Number(),
  receivedRaw: Type.String(),
  missing: Type.Number(),
  missingRaw: Type.String(),
  excess: Type.Number(),
  excessRaw: Type.String(),
  otherTokens: Type.Array(
    Type.Object({ token: Type.String(), amount: Type.Number(), amountRaw: Type.String() }),
    { description: 'Received in other tokens than `token`.' },
  ),
  delivery: Type.Union([Type.Enum(['overdue', 'reversed']), Type.Null()], {
    description:
      'Problem with the provider’s delivery. `overdue`: the full amount did not arrive in time; `reversed`: the provider withdrew its confirmation.',
  }),
  creditedUsd: Type.Number({
    description:
      'Value of the confirmed payments in US dollars. This amount of an unpaid receipt can be refunded.',
  }),
  confirmations: Type.Integer(),
  finality: Type.Enum(['none', 'seen', 'safe', 'final']),
  coverage: Type.Object({
    blockNumber: Type.Union([Type.Integer(), Type.Null()]),
    scannedTo: Type.Union([Type.Integer(), Type.Null()]),
  }),
})

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
  ...providerFields,
  timeline: Type.Array(
    Type.Object({
      at: Type.Integer(),
      kind: Type.String(),
      fromStatus: nullable(),
      toStatus: nullable(),
      detail: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  timelineOmitted: Type.Integer({
    description:
      'The number of entries omitted from the middle of a long history; 0 for up to about 500 entries.',
  }),
  refunds: Type.Array(refundView),
  telemetry: Type.Array(
    Type.Object({
      value: Type.String({ description: 'Unverified reports of checkout pages.' }),
      count: Type.Integer(),
      firstAt: Type.Integer(),
      lastAt: Type.Integer(),
    }),
  ),
  split: Type.Union([Type.Object({ address: Type.String(), version: Type.Integer() }), Type.Null()]),
  metadata: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  transactionId: nullable(),
  expiresAt: Type.Union([Type.Integer(), Type.Null()]),
  /** Time of the cancellation. A cancellation does not change the status. */
  cancelledAt: Type.Union([Type.Integer(), Type.Null()]),
  providerEmail: nullable(),
  ...receiptLinks,
})

export type ReceiptDetail = Static<typeof receiptDetail>

export const receiptList = Type.Object({
  receipts: Type.Array(receiptListItem),
  nextCursor: nullable(),
  ...degradedFields,
})
