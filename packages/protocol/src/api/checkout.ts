import { type Static, Type } from 'typebox'
import { failureCategories } from '../failure-catalogue.ts'
import { signedPaymentView } from './paying/signed-payments.ts'
import { proof } from './receipts/provider-fields.ts'

const rawUnits = Type.String({
  pattern: '^[0-9]+$',
  description: 'The exact amount in base units of the token.',
})

export const checkoutCall = Type.Object({
  kind: Type.Union([Type.Literal('approve'), Type.Literal('pay'), Type.Literal('transfer')]),
  chainId: Type.Integer(),
  to: Type.String(),
  data: Type.String(),
  value: Type.String({ description: 'Wei as 0x-prefixed hex.' }),
})

export const attemptView = Type.Object({
  attemptId: Type.String(),
  token: Type.String(),
  amount: rawUnits,
  remaining: rawUnits,
  rate: Type.Object({
    usdPerUnit: Type.Number(),
    quotedAt: Type.Integer(),
    provider: Type.String(),
  }),
  expiresAt: Type.Integer(),
  reference: Type.String(),
  payTo: Type.String({ description: 'The split contract, for a call that carries the reference.' }),
  depositAddress: Type.String({
    description: 'The address of this attempt, for a plain transfer from anywhere.',
  }),
  calls: Type.Array(checkoutCall),
  eip681: Type.String(),
})

export const attemptRequest = Type.Object({
  token: Type.String({ maxLength: 16 }),
  payer: Type.Optional(Type.String({ maxLength: 42 })),
})

export const checkoutHint = Type.Object({
  transactionHash: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
})

export const checkoutView = Type.Object({
  receiptId: Type.String(),
  recipient: Type.String({ description: "The merchant's wallet." }),
  brandName: Type.String(),
  status: Type.String(),
  currency: Type.String(),
  totalUsd: Type.Number(),
  total: Type.Optional(Type.Number()),
  feeUsd: Type.Number(),
  customerTotalUsd: Type.Number(),
  lineItems: Type.Array(
    Type.Object({
      label: Type.String(),
      priceUsd: Type.Number({ description: 'The price of the whole line, including the quantity.' }),
      qty: Type.Optional(Type.Number()),
      amount: Type.Optional(Type.Number()),
    }),
  ),
  valuation: Type.Optional(
    Type.Object({
      currency: Type.String(),
      usdPerUnit: Type.Number(),
      quotedAt: Type.Integer(),
      provider: Type.String(),
    }),
  ),
  createdAt: Type.Integer(),
  expiresAt: Type.Union([Type.Integer(), Type.Null()]),
  chain: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    explorerUrl: Type.Union([Type.String(), Type.Null()]),
  }),
  tokens: Type.Array(
    Type.Object({
      symbol: Type.String(),
      name: Type.String(),
      decimals: Type.Integer(),
      address: Type.String(),
      estimate: Type.Union([rawUnits, Type.Null()], {
        description:
          'Approximate amount still due in this token, at the current rate. An attempt returns the exact amount. Null if nothing is due or no rate is available.',
      }),
    }),
  ),
  /** False if the merchant has no split, or its contract is not deployed. */
  canPay: Type.Boolean(),
  isWithinLimits: Type.Boolean({ description: 'Whether this amount is within the limits.' }),
  attempt: Type.Union([attemptView, Type.Null()]),
  signableTokens: Type.Array(Type.String(), {
    description:
      'Symbols of the tokens that the buyer can pay with one signature, without gas. Empty if this is currently not available.',
  }),
  permit2Tokens: Type.Array(Type.String(), {
    description:
      'Symbols of further tokens that wallets can pay with one signature if they have approved Permit2 for the token.',
  }),
  signedPayment: Type.Union([signedPaymentView, Type.Null()], {
    description: 'The newest signed payment that the service submits for the buyer.',
  }),
  payment: Type.Object({
    state: Type.String(),
    provenBy: proof,
    token: Type.Union([Type.String(), Type.Null()]),
    decimals: Type.Integer(),
    due: rawUnits,
    received: rawUnits,
    missing: rawUnits,
    excess: rawUnits,
    otherTokens: Type.Array(
      Type.Object({ token: Type.String(), decimals: Type.Integer(), received: rawUnits }),
      { description: 'Received in other tokens than `token`.' },
    ),
    confirmations: Type.Integer(),
    requiredConfirmations: Type.Integer(),
    finality: Type.String(),
    transactionHash: Type.Union([Type.String(), Type.Null()]),
    payer: Type.Union([Type.String(), Type.Null()]),
  }),
  unmatched: Type.Array(Type.Object({ transactionHash: Type.String() }), {
    description:
      'Payments for this receipt that do not count towards it and that the merchant has not resolved. The buyer can claim them (`/claim`). Newest first, at most five.',
  }),
  /** Failure without the advice for the merchant, which does not concern the buyer. */
  failure: Type.Union([
    Type.Object({
      code: Type.String({
        description: 'A PORTAL_* code. A sanctions match appears as a blocked transaction.',
      }),
      category: Type.Enum([...failureCategories]),
      providerRequestId: Type.Union([Type.String(), Type.Null()]),
    }),
    Type.Null(),
  ]),
  cancelledAt: Type.Union([Type.Integer(), Type.Null()]),
  refunds: Type.Array(
    Type.Object({
      usd: Type.Number(),
      kind: Type.Enum(['price', 'excess']),
      isConfirmed: Type.Boolean({ description: 'False while its transaction is not verified yet.' }),
      transactionHash: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  refundedUsd: Type.Number({ description: 'Total of confirmed refunds, in USD.' }),
  returnUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'URL for the buyer after the payment: `returnUrl`, else the URL in `onSuccess`, else `redirect_url`; null before the payment.',
  }),
  onramp: Type.Union(
    [
      Type.Object({
        provider: Type.String(),
        methods: Type.Array(Type.Enum(['card', 'ach']), {
          description: 'Empty while a payment is confirming. The rest can be paid afterwards.',
        }),
        session: Type.Union([Type.Enum(['open', 'failed']), Type.Null()], {
          description: 'State of the newest card or bank payment: in progress or failed; null without one.',
        }),
      }),
      Type.Null(),
    ],
    {
      description:
        'Provider for card and bank payments; null if there is none, if it does not take this amount, or if nothing is due.',
    },
  ),
  hasOnSuccess: Type.Boolean({
    description:
      'A script in `onSuccess` runs in a sandboxed frame of the checkout once the receipt is paid.',
  }),
  shopUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'URL of the shop before the payment: the origin of the URL after the payment, or the storefront of an order.',
  }),
  transactionHash: Type.Union([Type.String(), Type.Null()]),
})

export type AttemptView = Static<typeof attemptView>
export type AttemptRequest = Static<typeof attemptRequest>
export type CheckoutView = Static<typeof checkoutView>
export type CheckoutCall = Static<typeof checkoutCall>
