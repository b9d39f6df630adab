import type { Wallet } from '../wallet.ts'

/** The text a token is shown by. Display only: a token is known by chain and address. */
export type TokenSymbol = 'ETH' | 'USDC' | 'USDT' | 'cbBTC' | 'cbXRP'

/** What Sluice pins of a token before it takes a unit of it. */
export type TokenKind = {
  readonly symbol: TokenSymbol
  readonly name: string
  /** Base units of one token are 10 to this power; pinned, never read from a contract. */
  readonly decimals: number
  /** Held to be worth one dollar: paid exactly, with no tolerance. */
  readonly isStablecoin: boolean
  /** Spends by an EIP-3009 authorization or an EIP-2612 permit with this EIP-712 domain. */
  readonly signing?: { readonly name: string; readonly version: string }
}

/** A token on the chain of this deployment. */
export type Token = TokenKind & {
  /** The contract; `nativeAddress` for the chain's own coin. */
  readonly address: Wallet
}
