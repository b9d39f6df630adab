import { type Static, Type } from 'typebox'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const webAppResponse = Type.Object({
  chain: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    use: Type.Union([Type.Literal('live'), Type.Literal('test'), Type.Literal('local')], {
      description: '`live` moves real money; `local` is the development chain of this machine.',
    }),
    explorerUrl: textOrNull('Where transactions can be looked at, without a slash at the end.'),
    rpcUrl: textOrNull('An endpoint for a wallet that does not know the chain.'),
    nativeToken: Type.String({ description: 'Token that pays for gas.' }),
    tokens: Type.Array(
      Type.Object({
        symbol: Type.String(),
        decimals: Type.Integer(),
        address: textOrNull('Its contract; null for the native token.'),
      }),
    ),
  }),
  platformFee: Type.Object(
    { bps: Type.Integer(), recipient: textOrNull('Null where there is no fee.') },
    { description: "The platform's row in every split." },
  ),
  walletConnect: Type.Union([Type.Null(), Type.Object({ projectId: Type.String(), script: Type.String() })], {
    description: 'Settings for wallets on a phone; null if not configured.',
  }),
  demoWallet: textOrNull("URL of the demo merchant's wallet on a local service; null on any other."),
})

export type WebAppResponse = Static<typeof webAppResponse>
