import { type Static, Type } from 'typebox'

export const onrampView = Type.Object({
  provider: Type.String({ description: 'The payment provider, such as `stripe` or `sandbox`.' }),
  providerSessionId: Type.String(),
  url: Type.String({ description: "The provider's hosted page, where the buyer pays." }),
  attemptId: Type.String(),
  amount: Type.String({
    pattern: '^[0-9]+$',
    description: 'Amount that the provider delivers, in base units of USDC.',
  }),
})

export type OnrampView = Static<typeof onrampView>

export const onrampEventResponse = Type.Object({ ok: Type.Literal(true) })
