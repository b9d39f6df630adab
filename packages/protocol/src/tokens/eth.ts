import type { TokenKind } from './token.ts'

/** Ether. */
export const eth: TokenKind = {
  symbol: 'ETH',
  name: 'Ether',
  decimals: 18,
  isStablecoin: false,
}
