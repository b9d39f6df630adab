import { type Static, Type } from 'typebox'
import { unmatchedClaims } from '../claims.ts'
import { evaluatedLater, pageLimit } from '../documented.ts'

const nullableText = () => Type.Union([Type.String(), Type.Null()])

export const refundItem = Type.Object({
  label: Type.String({ minLength: 1, maxLength: 200 }),
  priceUsd: Type.Number({ minimum: -1_000_000_000, maximum: 1_000_000_000 }),
  qty: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 })),
})

export const transactionHashText = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' })

export const refundRequest = Type.Object({
  receiptId: evaluatedLater('required', Type.String()),
  wallet: evaluatedLater('required', Type.String({ description: "The merchant's wallet." })),
  buyer: evaluatedLater('required', Type.String({ description: "The buyer's wallet." })),
  usd: evaluatedLater(
    'required',
    Type.Number({ exclusiveMinimum: 0, description: 'US dollars, with at most two decimals.' }),
  ),
  items: Type.Optional(Type.Array(refundItem, { maxItems: 500 })),
  txHash: Type.Optional(transactionHashText),
  excess: Type.Optional(
    Type.Boolean({ description: 'Refunds the amount paid in excess of the total, not the total itself.' }),
  ),
})

export const refundView = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['price', 'excess', 'unmatched'], {
    description:
      '`price`: from the total of the receipt; `excess`: from the amount paid in excess of it; `unmatched`: from an unmatched payment.',
  }),
  usd: Type.Number(),
  buyer: nullableText(),
  items: Type.Array(refundItem),
  txHash: nullableText(),
  mark: Type.Union([Type.Enum(['tx_mined', 'recipient_validated', 'tx_mismatch']), Type.Null()], {
    description:
      '`tx_mined`: included in a block; `recipient_validated`: final, and matches what was logged; `tx_mismatch`: does not match. Null before that, and without a transaction.',
  }),
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Reason for the mismatch. With `mark` null: the transaction is missing from the chain.',
  }),
  isCounted: Type.Boolean({ description: 'Whether it counts towards `refunded`.' }),
  by: Type.String({ description: 'The wallet that logged it.' }),
  createdAt: Type.Integer({ description: 'Unix time in milliseconds' }),
})

export type RefundRequest = Static<typeof refundRequest>
export type RefundView = Static<typeof refundView>

const unmatchedState = Type.Union([
  Type.Literal('open'),
  Type.Literal('applied'),
  Type.Literal('refunded'),
  Type.Literal('kept'),
])

export const unmatchedPayment = Type.Object({
  id: Type.String(),
  state: unmatchedState,
  reason: Type.String({
    description:
      '`wrong-token`, `unknown-reference`, `unknown-deposit` (a deposit address of no receipt), `unlisted-token` (an unsupported token that the buyer claimed), `direct`, `receipt-settled` (already paid or refunded), `no-rate` (too late to price) or `too-many-payments` (a small one after 200 others).',
  }),
  receiptId: Type.Union([Type.String(), Type.Null()], {
    description: 'The receipt it was meant for, if known.',
  }),
  suggestedReceiptId: Type.Union([Type.String(), Type.Null()], {
    description:
      'With `unknown-deposit` or `unknown-reference`: the only recent unpaid receipt with this amount, if there is one.',
  }),
  token: nullableText(),
  tokenAddress: Type.String(),
  tokenName: Type.Union([Type.String(), Type.Null()], {
    description:
      'With `unlisted-token`: the name that the contract returns. The name is not verified: check the address.',
  }),
  amount: Type.Number(),
  amountRaw: Type.String({
    pattern: '^[0-9]+$',
    description: 'The exact amount in base units of the token.',
  }),
  payer: nullableText(),
  transactionHash: nullableText(),
  blockNumber: Type.Integer(),
  timestamp: Type.Integer({ description: 'The time of the block, in Unix milliseconds.' }),
  decision: Type.Union([
    Type.Null(),
    Type.Object({
      appliedTo: nullableText(),
      refundId: nullableText(),
      note: nullableText(),
      by: Type.String({ description: 'The wallet that decided.' }),
      at: Type.Integer(),
    }),
  ]),
  refund: Type.Union([Type.Null(), Type.Pick(refundView, ['txHash', 'mark', 'error', 'isCounted'])], {
    description: 'The logged refund. The payment stays `open` until the refund counts.',
  }),
  ...unmatchedClaims,
})

export const unmatchedQuery = Type.Object({
  state: Type.Optional(
    Type.Union([unmatchedState, Type.Literal('all')], { description: 'Defaults to `open`.' }),
  ),
  limit: pageLimit,
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
})

export const unmatchedList = Type.Object({
  payments: Type.Array(unmatchedPayment),
  nextCursor: nullableText(),
})

export const unmatchedDecisionRequest = Type.Object({
  action: Type.Union([Type.Literal('apply'), Type.Literal('refund'), Type.Literal('keep')]),
  receiptId: Type.Optional(
    Type.String({ maxLength: 128, description: 'With `apply`: the id of the receipt.' }),
  ),
  txHash: Type.Optional(transactionHashText),
  claimId: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'With `refund`: the claim whose `refundAddress` received the refund. Defaults to the payer.',
    }),
  ),
  note: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
})

export const unmatchedDecisionResponse = Type.Object({ ok: Type.Literal(true), payment: unmatchedPayment })

export type UnmatchedPayment = Static<typeof unmatchedPayment>
export type UnmatchedQuery = Static<typeof unmatchedQuery>
export type UnmatchedDecisionRequest = Static<typeof unmatchedDecisionRequest>
