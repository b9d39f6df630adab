import type { TokenKind } from './token.ts'

/** Coinbase Wrapped XRP. */
export const cbxrp: TokenKind = {
  symbol: 'cbXRP',
  name: 'Coinbase Wrapped XRP',
  decimals: 6,
  isStablecoin: false,
}
