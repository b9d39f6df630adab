import { type Static, Type } from 'typebox'
import { receiptStatuses } from '../receipt-status.ts'

/** Deposit that is worth less than the gas to sweep it. */
export const waitingDeposit = Type.Object({
  merchantWallet: Type.String(),
  receiptId: Type.String(),
  currency: Type.String({ description: 'The symbol of the token.' }),
  amount: Type.Number(),
  amountRaw: Type.String({
    pattern: '^[0-9]+$',
    description: 'The exact amount in base units of the token.',
  }),
  since: Type.Integer({ description: 'Unix milliseconds.' }),
  lookAt: Type.Integer({
    description: 'Unix milliseconds. The deposit is checked again at this time at the latest.',
  }),
})

export const waitingDepositList = Type.Object({
  deposits: Type.Array(waitingDeposit),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
})

export const waitingDepositsQuery = Type.Object({
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$', description: '1–200, default 100.' })),
  cursor: Type.Optional(Type.String({ maxLength: 400 })),
})

export const moneyQuestions = [
  'payment-reversed',
  'cancelled-part-paid',
  'delivery-overdue',
  'provider-reversed',
  'refund-missing',
] as const

export const questionedReceipt = Type.Object({
  receiptId: Type.String(),
  status: Type.Enum([...receiptStatuses]),
  totalUsd: Type.Number(),
  createdAt: Type.Integer({ description: 'Unix milliseconds.' }),
  reasons: Type.Array(Type.Enum([...moneyQuestions]), {
    description:
      '`payment-reversed`: the chain removed the payment with its block; `cancelled-part-paid`: the receipt was cancelled after a part of it was paid, and nothing was refunded; `delivery-overdue`: a card or bank payment has not arrived whole in time; `provider-reversed`: its provider reversed it; `refund-missing`: the transaction of a refund is not in the chain.',
  }),
})

export const questionList = Type.Object({
  receipts: Type.Array(questionedReceipt),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
})

export const keeperResponse = Type.Object({
  gas: Type.Enum(['enough', 'low', 'none'], {
    description:
      '`low`: the keeper cannot pay for the next 50 transactions at current fees; `none`: no keeper is configured.',
  }),
  address: Type.Optional(Type.String({ description: 'For the operator.' })),
  balanceRaw: Type.Optional(
    Type.String({ description: "For the operator: balance in base units of the chain's native token." }),
  ),
  wantedRaw: Type.Optional(
    Type.String({ description: 'For the operator: sufficient balance, in the same units.' }),
  ),
})

export type QuestionedReceipt = Static<typeof questionedReceipt>
export type WaitingDepositView = Static<typeof waitingDeposit>
export type WaitingDepositsQuery = Static<typeof waitingDepositsQuery>
