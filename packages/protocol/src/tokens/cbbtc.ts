import type { TokenKind } from './token.ts'

/** Coinbase Wrapped BTC. */
export const cbbtc: TokenKind = {
  symbol: 'cbBTC',
  name: 'Coinbase Wrapped BTC',
  decimals: 8,
  isStablecoin: false,
}
