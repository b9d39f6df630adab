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
      recipients: Type.Array(splitRecipient),
      effectiveAt: Type.Integer({ description: 'Unix milliseconds.' }),
    }),
  ]),
})

/** The answer of GET /api/split/deploy. */
export const splitAnswer = Type.Object({ split: splitView })

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
export type SplitTransaction = Static<typeof splitTransaction>
export type SplitTransactionsQuery = Static<typeof splitTransactionsQuery>
