import type { TokenSymbol } from '../tokens/list.ts'
import type { TokenFacts } from '../tokens/token-facts.ts'

/** A token contract on one network. A property that is present replaces the one of {@link TokenFacts}. */
export type NetworkToken = Pick<TokenFacts, 'decimals' | 'signing'> & {
  /** In EIP-55 spelling. At most one contract of all networks has an address, or they are equal. */
  readonly address: `0x${string}`
}

export type NetworkFacts = {
  readonly id: number
  readonly name: string
  /**
   * `live` networks carry real money, `test` networks are public and without value, `local` is a development
   * chain.
   */
  readonly use: 'live' | 'test' | 'local'
  /** Base URL of the block explorer, without a trailing slash. */
  readonly explorerUrl?: string
  readonly publicRpcUrl?: string
  readonly nativeToken: TokenSymbol
  /** Empty for a local chain, which deploys its own contracts. */
  readonly tokens: Partial<Readonly<Record<TokenSymbol, NetworkToken>>>
  /** Chainlink feeds of the asset that prices a token, in US dollars with eight decimals. */
  readonly chainlinkFeeds?: Partial<Readonly<Record<TokenSymbol, `0x${string}`>>>
  /** Maximum time between blocks, in milliseconds. Beyond it, the network is stalled or the endpoint lags. */
  readonly longestBlockGapMs: number
}
