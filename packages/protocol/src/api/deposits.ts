import { type Static, Type } from 'typebox'

/** A deposit that is worth less than the gas of sweeping it into its split. */
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
    description: 'Unix milliseconds. When the deposit is checked again at the latest.',
  }),
})

/** The answer of GET /api/deposits/waiting. */
export const waitingDepositList = Type.Object({
  deposits: Type.Array(waitingDeposit),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
})

/** What GET /api/deposits/waiting can be asked. */
export const waitingDepositsQuery = Type.Object({
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$', description: '1–200, default 100.' })),
  cursor: Type.Optional(Type.String({ maxLength: 400 })),
})

export type WaitingDepositView = Static<typeof waitingDeposit>
export type WaitingDepositsQuery = Static<typeof waitingDepositsQuery>
