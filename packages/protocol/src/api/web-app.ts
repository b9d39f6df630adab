import { type Static, Type } from 'typebox'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const webAppResponse = Type.Object({
  chain: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    use: Type.Union([Type.Literal('live'), Type.Literal('test'), Type.Literal('local')], {
      description: '`live` moves real money; `local` is the development chain of this machine.',
    }),
    explorerUrl: textOrNull('URL of the block explorer, without a trailing slash.'),
    rpcUrl: textOrNull('RPC endpoint for wallets that do not know the chain.'),
    nativeToken: Type.String({ description: 'Token that pays for gas.' }),
    tokens: Type.Array(
      Type.Object({
        symbol: Type.String(),
        decimals: Type.Integer(),
        address: textOrNull('Contract of the token; null for the native token.'),
      }),
    ),
  }),
  platformFee: Type.Object(
    { bps: Type.Integer(), recipient: textOrNull('Null if there is no fee.') },
    { description: "The platform's share in every split." },
  ),
  walletConnect: Type.Union([Type.Null(), Type.Object({ projectId: Type.String(), script: Type.String() })], {
    description: 'Settings for mobile wallets; null if not configured.',
  }),
  demoWallet: textOrNull("URL of the demo merchant's wallet on a local service; null on any other."),
})

export type WebAppResponse = Static<typeof webAppResponse>
