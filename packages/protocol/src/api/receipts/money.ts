import { type Static, Type } from 'typebox'
import { refundView } from './refunds.ts'

const text = Type.Union([Type.String(), Type.Null()])
const moment = Type.Integer({ description: 'Unix milliseconds.' })

/** The answer of GET /api/receipts/{id}/money: the way of a receipt's money from the payer to the recipients. */
export const receiptMoney = Type.Object({
  receiptId: Type.String(),
  steps: Type.Array(
    Type.Object({
      step: Type.Enum(['received', 'confirmed', 'final', 'passed-on']),
      state: Type.Enum(['done', 'now', 'waiting', 'stopped'], {
        description: '`stopped`: a reorganization removed the block of the payment.',
      }),
      at: Type.Union([moment, Type.Null()]),
    }),
    { description: 'How far the money is; empty while none was seen.' },
  ),
  payments: Type.Array(
    Type.Object({
      at: moment,
      state: Type.Enum(['seen', 'credited', 'orphaned']),
      isLate: Type.Boolean({ description: 'It came after its quote had expired.' }),
      kind: Type.Enum(['call', 'transfer', 'native']),
      from: text,
      depositAddress: Type.Union([Type.String(), Type.Null()], {
        description: 'Where a transfer went; null for a call of the split.',
      }),
      token: Type.String(),
      tokenAddress: Type.String(),
      amount: Type.Number(),
      amountRaw: Type.String(),
      usdPerUnit: Type.Number(),
      transactionHash: text,
      blockNumber: Type.Integer(),
      confirmations: Type.Integer(),
      finality: Type.Enum(['none', 'seen', 'safe', 'final']),
      sweepTransactionHash: Type.Union([Type.String(), Type.Null()], {
        description: 'What moved a transfer from its deposit address into the split.',
      }),
    }),
  ),
  paymentsOmitted: Type.Integer({ description: 'The number of further payments, smaller than these.' }),
  split: Type.Union([Type.Object({ address: Type.String(), version: Type.Integer() }), Type.Null()]),
  recipients: Type.Array(
    Type.Object({
      address: Type.String(),
      sharesBps: Type.Integer(),
      isPlatform: Type.Boolean(),
      token: Type.String(),
      amount: Type.Union([Type.Number(), Type.Null()], {
        description: 'Null while the money has not reached the split.',
      }),
      amountRaw: text,
      state: Type.Enum(['waiting', 'released', 'held']),
      transactionHash: Type.Union([Type.String(), Type.Null()], { description: 'The distribution.' }),
    }),
  ),
  refunds: Type.Array(refundView),
})

export type ReceiptMoney = Static<typeof receiptMoney>

/** The answer of GET /api/receipts/{id}/timeline, oldest first. */
export const receiptTimeline = Type.Object({
  receiptId: Type.String(),
  entries: Type.Array(
    Type.Object({
      at: moment,
      kind: Type.String({
        description:
          'What happened: an event of the receipt, `webhook_attempt`, or `checkout_event` for what checkout pages reported.',
      }),
      fromStatus: text,
      toStatus: text,
      detail: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  omitted: Type.Integer({ description: 'The number of entries left out of the middle of a very long one.' }),
})
