import { Type } from 'typebox'

export const proof = Type.Union([Type.Enum(['chain', 'provider', 'admin']), Type.Null()], {
  description:
    'What proves that it is paid: `chain`, the money itself; `provider`, a signed event of the card provider, whose delivery may still be on its way; `admin`, a decision of yours. Null while it is not paid.',
})

export const providerFields = {
  providerSessionId: Type.Union([Type.String(), Type.Null()]),
  isProviderSessionUnique: Type.Boolean(),
  providerSourceAmountUsd: Type.Optional(
    Type.Number({ description: 'What the card provider charged the buyer, where it said so.' }),
  ),
}
