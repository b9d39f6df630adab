import { type Static, Type } from 'typebox'
import { pageLimit } from './documented.ts'

/** Who gets which share of every payment, as the contract writes it. */
export const splitRecipient = Type.Object({
  address: Type.String({ description: 'Wallet.' }),
  sharesBps: Type.Integer({ description: 'Basis points; the rows of a split add up to 10000.' }),
})

/** A merchant's split (contract: Split configuration). */
export const splitView = Type.Object({
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'Split contract; null when not configured.',
  }),
  recipients: Type.Array(splitRecipient),
  version: Type.Union([Type.Integer(), Type.Null()]),
  chainId: Type.Integer(),
  deployed: Type.Boolean({ description: 'The contract stands on the chain.' }),
  /** The version that follows after the delay for changes. */
  pending: Type.Union([
    Type.Null(),
    Type.Object({
      version: Type.Integer(),
      address: Type.String(),
      recipients: Type.Array(splitRecipient),
      effectiveAt: Type.Integer({ description: 'Unix milliseconds.' }),
      deployed: Type.Boolean(),
    }),
  ]),
})

/** The answer of GET /api/split/deploy. */
export const splitAnswer = Type.Object({ split: splitView })

const recipientInput = Type.Object({
  address: Type.String({ maxLength: 42, description: 'Wallet.' }),
  sharesBps: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Basis points.' }),
})

/** Recipients as they are sent: all of them, with the platform's row or without it. */
export const recipientList = Type.Array(recipientInput, { minItems: 1, maxItems: 50 })

/** What POST /api/split/deploy takes. */
export const deploySplitRequest = Type.Object({
  splitAddress: Type.Optional(
    Type.String({ maxLength: 42, description: 'A contract of our factory that is deployed already.' }),
  ),
  recipients: Type.Optional(recipientList),
  salt: Type.Optional(
    Type.String({
      maxLength: 66,
      description: 'What the contract at splitAddress was made with; needed where that is some time ago.',
    }),
  ),
})

/** A transaction for a wallet to send. */
export const deployCall = Type.Object({
  to: Type.String({ description: 'Split factory.' }),
  data: Type.String({ description: 'Calldata, 0x and hex digits.' }),
})

/** The answer of POST /api/split/deploy. */
export const deploySplitAnswer = Type.Object({
  ok: Type.Literal(true),
  split: splitView,
  idempotent: Type.Optional(
    Type.Literal(true, { description: 'There was a split already; nothing was changed.' }),
  ),
  deploy: Type.Optional(
    Type.Object(deployCall.properties, {
      description: 'Where this service deploys nothing itself: what any wallet can send to deploy the split.',
    }),
  ),
})

/** A payment as it went through the split (contract: Split transaction). */
export const splitTransaction = Type.Object({
  id: Type.String(),
  receiptId: Type.String(),
  amount: Type.Number(),
  amountRaw: Type.String({ pattern: '^[0-9]+$', description: 'Base units of the token, exact.' }),
  currency: Type.String({ description: 'Symbol of the token.' }),
  status: Type.Union([Type.Literal('pending'), Type.Literal('distributed'), Type.Literal('held')], {
    description: '`held`: distributed, but a recipient could not be paid; its part waits in the contract.',
  }),
  timestamp: Type.String({ description: 'ISO 8601, the time of the block.' }),
  transactionHash: Type.String(),
  fees: Type.Number({ description: "The platform's part of `amount`." }),
})

/** The answer of GET /api/split/transactions, newest first; the header X-Next-Cursor goes on. */
export const splitTransactions = Type.Array(splitTransaction)

/** What GET /api/split/transactions can be asked. */
export const splitTransactionsQuery = Type.Object({
  address: Type.Optional(Type.String({ description: 'Only this split, or the splits of this recipient.' })),
  limit: pageLimit,
  cursor: Type.Optional(Type.String({ maxLength: 64 })),
})

export type SplitView = Static<typeof splitView>
export type DeployCall = Static<typeof deployCall>
export type DeploySplitAnswer = Static<typeof deploySplitAnswer>
export type SplitTransaction = Static<typeof splitTransaction>
export type SplitTransactionsQuery = Static<typeof splitTransactionsQuery>
