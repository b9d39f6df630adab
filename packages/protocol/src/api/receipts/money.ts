import { type Static, Type } from 'typebox'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const unixMsOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

const trackedStep = Type.Object({
  step: Type.Enum(['received', 'confirmed', 'final', 'passed-on'] as const),
  state: Type.Enum(['done', 'now', 'waiting', 'stopped'] as const, {
    description: '`stopped`: the network removed the block of the payment.',
  }),
  at: unixMsOrNull('Completion time, Unix milliseconds; null if not completed or unknown.'),
})

const trackedPayment = Type.Object({
  transactionHash: textOrNull('Null for native tokens that arrived without their own transaction.'),
  blockNumber: Type.Integer(),
  at: Type.Integer({ description: 'The time of the block, Unix milliseconds.' }),
  payer: textOrNull("The buyer's wallet; null if unknown."),
  depositAddress: textOrNull('Deposit address of the payment; null for a payment directly to the split.'),
  sweepTransactionHash: textOrNull(
    'Transaction that swept the deposit into the split; null before the sweep.',
  ),
  token: Type.String(),
  decimals: Type.Integer(),
  amountRaw: Type.String({ description: 'Base units.' }),
  confirmations: Type.Integer(),
  finality: Type.Enum(['none', 'seen', 'safe', 'final'] as const),
  isLate: Type.Boolean(),
  isReversed: Type.Boolean({ description: 'The network removed its block.' }),
})

const trackedPart = Type.Object({
  address: Type.String(),
  sharesBps: Type.Integer(),
  isPlatform: Type.Boolean(),
  token: Type.String(),
  decimals: Type.Integer(),
  amountRaw: textOrNull('Base units; null until the money is in the split.'),
  state: Type.Enum(['waiting', 'released', 'held'] as const, {
    description: '`held`: the recipient could not be paid, and the contract holds the share.',
  }),
  transactionHash: textOrNull('Decision that settled the payment.'),
})

export const receiptMoney = Type.Object({
  steps: Type.Array(trackedStep, { description: 'Empty until a payment arrives on the chain.' }),
  payments: Type.Array(trackedPayment, { description: 'The largest payments, oldest first.' }),
  paymentsOmitted: Type.Integer(),
  parts: Type.Array(trackedPart, { description: 'In the order of the split, token by token.' }),
})

export type ReceiptMoney = Static<typeof receiptMoney>
