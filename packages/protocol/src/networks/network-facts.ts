import type { TokenSymbol } from '../tokens/list.ts'

/** Everything that is true of a network: what its file under `networks/` says. */
export type NetworkFacts = {
  /** The chain id (EIP-155). */
  readonly id: number
  /** Shown to people. */
  readonly name: string
  /** `live` moves real money, `test` money without worth in public, `local` is a development chain of one machine. */
  readonly use: 'live' | 'test' | 'local'
  /** Where a transaction can be looked at, without a slash at the end. */
  readonly explorerUrl?: string
  /** An endpoint for everybody, given to a wallet that does not know the network. */
  readonly publicRpcUrl?: string
  /** What gas is paid in. */
  readonly nativeToken: TokenSymbol
  /** The contracts of the other tokens taken there. A local chain's follow from what is deployed on it. */
  readonly tokens: Partial<Readonly<Record<TokenSymbol, `0x${string}`>>>
  /** Chainlink's feeds there, in US dollars with eight decimals, by token. */
  readonly chainlinkFeeds?: Partial<Readonly<Record<TokenSymbol, `0x${string}`>>>
  /** Without a block for so long the network stands still, or an endpoint is behind. */
  readonly longestBlockGapMs: number
}
