import { type Static, Type } from 'typebox'

export const loyaltyQuery = Type.Object({
  wallet: Type.String({
    pattern: '^0x[0-9a-fA-F]{40}$',
    description: 'The wallet that paid, in upper or lower case.',
  }),
})

export const loyaltyResponse = Type.Object({
  wallet: Type.String(),
  points: Type.Number({ description: 'The points of the wallet, with at most two decimals.' }),
  receipts: Type.Integer({ description: 'The number of receipts that earned points.' }),
})

export type LoyaltyResponse = Static<typeof loyaltyResponse>
