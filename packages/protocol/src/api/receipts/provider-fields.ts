import { Type } from 'typebox'

export const proof = Type.Union([Type.Enum(['chain', 'provider', 'admin']), Type.Null()], {
  description:
    'Proof of the payment. `chain`: a payment on the chain; `provider`: a signed event of the card provider, whose delivery can still be in progress; `admin`: a decision of an admin. Null before the payment.',
})

export const providerFields = {
  providerSessionId: Type.Union([Type.String(), Type.Null()]),
  isProviderSessionUnique: Type.Boolean(),
  providerSourceAmountUsd: Type.Optional(
    Type.Number({
      description: 'Amount that the card provider charged the buyer, if the provider reported it.',
    }),
  ),
}
