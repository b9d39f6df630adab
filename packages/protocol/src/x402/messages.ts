import { type Static, Type } from 'typebox'

/**
 * Messages of x402 version 2, by which a program pays a receipt over HTTP
 * (https://github.com/x402-foundation/x402, `specs/x402-specification-v2.md` and
 * `specs/transports-v2/http.md`).
 */

export const x402Version = 2

/** Headers with base64-encoded JSON. */
export const x402Headers = {
  required: 'PAYMENT-REQUIRED',
  signature: 'PAYMENT-SIGNATURE',
  response: 'PAYMENT-RESPONSE',
} as const

const atomicUnits = Type.String({
  pattern: '^(0|[1-9][0-9]{0,77})$',
  description: 'The exact amount in base units of the token.',
})
const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const seconds = Type.String({
  pattern: '^(0|[1-9][0-9]{0,77})$',
  description: 'Unix seconds as a decimal string.',
})

export const x402Requirements = Type.Object({
  scheme: Type.Literal('exact'),
  network: Type.String({ maxLength: 64, description: 'CAIP-2, for example `eip155:8453`.' }),
  amount: atomicUnits,
  asset: Type.String({ description: "The token's contract." }),
  payTo: Type.String({
    description: 'The deposit address of this attempt. Money that arrives there pays this receipt.',
  }),
  maxTimeoutSeconds: Type.Integer({ minimum: 1 }),
  extra: Type.Object(
    { name: Type.String(), version: Type.String() },
    { description: "The token's EIP-712 domain for the signature." },
  ),
})

export const x402Resource = Type.Object({
  url: Type.String(),
  description: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String()),
})

export const x402PaymentRequired = Type.Object({
  x402Version: Type.Literal(x402Version),
  error: Type.Optional(Type.String({ description: 'Reason why payment is required or was not accepted.' })),
  resource: x402Resource,
  accepts: Type.Array(x402Requirements),
})

export const x402Authorization = Type.Object({
  from: address,
  to: address,
  value: atomicUnits,
  validAfter: seconds,
  validBefore: seconds,
  nonce: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
})

/** Payload of the scheme `exact` on an EVM chain. Smart account signatures exceed 65 bytes. */
export const x402ExactPayload = Type.Object({
  authorization: x402Authorization,
  signature: Type.String({ pattern: '^0x([0-9a-fA-F]{2})+$', maxLength: 4_098 }),
})

export const x402PaymentPayload = Type.Object({
  x402Version: Type.Literal(x402Version),
  accepted: Type.Object({
    scheme: Type.String({ maxLength: 64 }),
    network: Type.String({ maxLength: 64 }),
    amount: Type.String({ maxLength: 78 }),
    asset: Type.String({ maxLength: 128 }),
    payTo: Type.String({ maxLength: 128 }),
  }),
  payload: Type.Object({}),
})

export const x402Settlement = Type.Object({
  success: Type.Boolean(),
  errorReason: Type.Optional(Type.String({ description: 'Reason for the failure, as an x402 error code.' })),
  errorMessage: Type.Optional(Type.String()),
  payer: Type.Optional(Type.String()),
  transaction: Type.String({ description: 'Transaction hash; empty if there is none.' }),
  network: Type.String(),
  amount: Type.Optional(atomicUnits),
  extra: Type.Optional(
    Type.Object({
      receiptId: Type.String(),
      recipient: Type.String(),
      receiptUrl: Type.String({ description: 'URL of the receipt page.' }),
    }),
  ),
})

export const x402Receipt = Type.Object({
  receiptId: Type.String(),
  recipient: Type.String({ description: "The merchant's wallet." }),
  brandName: Type.String(),
  status: Type.String(),
  currency: Type.String(),
  totalUsd: Type.Number(),
  customerTotalUsd: Type.Number({ description: 'Amount due, including the processing fee.' }),
  lineItems: Type.Array(
    Type.Object({ label: Type.String(), priceUsd: Type.Number(), qty: Type.Optional(Type.Number()) }),
  ),
  payment: Type.Object({
    state: Type.String(),
    token: Type.Union([Type.String(), Type.Null()]),
    decimals: Type.Integer(),
    received: Type.String(),
    missing: Type.String(),
    excess: Type.String(),
    transactionHash: Type.Union([Type.String(), Type.Null()]),
    payer: Type.Union([Type.String(), Type.Null()]),
  }),
  receiptUrl: Type.String({ description: 'URL of the receipt page.' }),
})

export const x402PaidBody = Type.Object({ paid: Type.Boolean(), receipt: x402Receipt })

export const x402RequiredBody = Type.Object({ ...x402PaymentRequired.properties, receipt: x402Receipt })

export type X402Requirements = Static<typeof x402Requirements>
export type X402PaymentRequired = Static<typeof x402PaymentRequired>
export type X402Authorization = Static<typeof x402Authorization>
export type X402Settlement = Static<typeof x402Settlement>
export type X402Receipt = Static<typeof x402Receipt>

export const x402ErrorBody = Type.Object({
  error: Type.String(),
  message: Type.String(),
  receipt: Type.Optional(x402Receipt),
})
