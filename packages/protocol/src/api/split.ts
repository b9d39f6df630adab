import { type Static, Type } from 'typebox'
import { pageLimit } from './documented.ts'

export const splitRecipient = Type.Object({
  address: Type.String({ description: 'Wallet.' }),
  sharesBps: Type.Integer({ description: 'Basis points; the shares of a split add up to 10000.' }),
})

export const splitView = Type.Object({
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'The split contract; null if none is configured.',
  }),
  recipients: Type.Array(splitRecipient),
  version: Type.Union([Type.Integer(), Type.Null()]),
  chainId: Type.Integer(),
  deployed: Type.Boolean({ description: 'Whether the contract is deployed.' }),
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

export const splitResponse = Type.Object({ split: splitView })

const recipientInput = Type.Object({
  address: Type.String({ maxLength: 42, description: 'Wallet.' }),
  sharesBps: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Basis points.' }),
})

export const recipientList = Type.Array(recipientInput, { minItems: 1, maxItems: 50 })

export const deploySplitRequest = Type.Object({
  splitAddress: Type.Optional(
    Type.String({
      maxLength: 42,
      description: 'The address of a split that our factory has already deployed.',
    }),
  ),
  recipients: Type.Optional(recipientList),
  salt: Type.Optional(
    Type.String({
      maxLength: 66,
      description:
        'The salt of the contract at splitAddress. Required if the contract was not deployed recently.',
    }),
  ),
})

export const deployCall = Type.Object({
  to: Type.String({ description: 'The split factory.' }),
  data: Type.String({ description: 'The calldata: 0x and hex digits.' }),
})

export const deploySplitResponse = Type.Object({
  ok: Type.Literal(true),
  split: splitView,
  idempotent: Type.Optional(
    Type.Literal(true, { description: 'Whether a split already existed. If so, nothing was changed.' }),
  ),
  deploy: Type.Optional(
    Type.Object(deployCall.properties, {
      description:
        'A transaction that any wallet can send to deploy the split, if this service does not deploy it.',
    }),
  ),
})

export const splitVersion = Type.Object({
  version: Type.Integer(),
  address: Type.String({ description: 'The split contract.' }),
  recipients: Type.Array(splitRecipient),
  state: Type.Union(
    [
      Type.Literal('scheduled'),
      Type.Literal('awaiting_deployment'),
      Type.Literal('in_force'),
      Type.Literal('past'),
      Type.Literal('cancelled'),
    ],
    {
      description:
        '`awaiting_deployment`: due, but its contract is not deployed yet. `past`: replaced by another version; receipts created before still use this version.',
    },
  ),
  deployed: Type.Boolean({ description: 'Whether the contract is deployed.' }),
  createdAt: Type.Integer({ description: 'Unix milliseconds.' }),
  effectiveAt: Type.Integer({
    description: 'Unix milliseconds. The version takes effect at this time or later.',
  }),
  inForceAt: Type.Union([Type.Integer(), Type.Null()]),
  cancelledAt: Type.Union([Type.Integer(), Type.Null()]),
})

export const splitVersionList = Type.Object({
  versions: Type.Array(splitVersion),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
})

export const splitVersionsQuery = Type.Object({
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$', description: '1–200, default 100.' })),
  cursor: Type.Optional(Type.String({ maxLength: 64 })),
})

export const splitVersionParams = Type.Object({ version: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }) })

export const changeSplitRequest = Type.Object({ recipients: recipientList })

const tokenPart = Type.Object({
  address: Type.String(),
  before: Type.Number({ description: 'With the current recipients.' }),
  beforeRaw: Type.String(),
  after: Type.Number({ description: 'With the new recipients.' }),
  afterRaw: Type.String(),
  difference: Type.Number({ description: 'Negative if the share decreases.' }),
  differenceRaw: Type.String(),
})

export const splitPreview = Type.Object({
  from: Type.Integer({ description: 'Unix milliseconds.' }),
  to: Type.Integer({ description: 'Unix milliseconds.' }),
  shares: Type.Array(
    Type.Object({ address: Type.String(), beforeBps: Type.Integer(), afterBps: Type.Integer() }),
  ),
  tokens: Type.Array(
    Type.Object({
      currency: Type.String(),
      amount: Type.Number(),
      amountRaw: Type.String(),
      payments: Type.Integer(),
      recipients: Type.Array(tokenPart),
    }),
  ),
})

export const recipientProbe = Type.Object({
  address: Type.String(),
  hasCode: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether the recipient is a contract; null if the chain could not be reached.',
  }),
  acceptsEth: Type.Union([Type.Boolean(), Type.Null()]),
  warning: Type.Union([Type.String(), Type.Null()]),
})

export const previewSplitResponse = Type.Object({
  ok: Type.Literal(true),
  recipients: Type.Array(splitRecipient),
  preview: splitPreview,
  probes: Type.Array(recipientProbe),
})

export const changeSplitResponse = Type.Object({
  ok: Type.Literal(true),
  version: splitVersion,
  preview: splitPreview,
  probes: Type.Array(recipientProbe),
  replaced: Type.Optional(
    Type.Integer({ description: 'The previously scheduled version, which is now cancelled.' }),
  ),
  idempotent: Type.Optional(
    Type.Literal(true, { description: 'Whether this change was already scheduled.' }),
  ),
  deploy: Type.Optional(deployCall),
})

export const cancelSplitResponse = Type.Object({ ok: Type.Literal(true), version: splitVersion })

export const splitTransaction = Type.Object({
  id: Type.String(),
  receiptId: Type.String(),
  amount: Type.Number(),
  amountRaw: Type.String({
    pattern: '^[0-9]+$',
    description: 'The exact amount in base units of the token.',
  }),
  currency: Type.String({ description: 'The symbol of the token.' }),
  status: Type.Union([Type.Literal('pending'), Type.Literal('distributed'), Type.Literal('held')], {
    description: '`held`: distributed, but a recipient could not be paid; its share is held in the contract.',
  }),
  timestamp: Type.String({ description: 'The time of the block, in ISO 8601.' }),
  transactionHash: Type.String(),
  fees: Type.Number({ description: "The platform's share of `amount`." }),
})

/** Response of GET /api/split/transactions, newest first. The header X-Next-Cursor contains the cursor. */
export const splitTransactions = Type.Array(splitTransaction)

export const splitTransactionsQuery = Type.Object({
  address: Type.Optional(
    Type.String({ description: 'Filters by this split, or by the splits of this recipient.' }),
  ),
  limit: pageLimit,
  cursor: Type.Optional(Type.String({ maxLength: 64 })),
})

export type SplitView = Static<typeof splitView>
export type DeployCall = Static<typeof deployCall>
export type DeploySplitResponse = Static<typeof deploySplitResponse>
export type SplitVersionView = Static<typeof splitVersion>
export type SplitPreview = Static<typeof splitPreview>
export type RecipientProbe = Static<typeof recipientProbe>
export type SplitTransaction = Static<typeof splitTransaction>
export type SplitTransactionsQuery = Static<typeof splitTransactionsQuery>
