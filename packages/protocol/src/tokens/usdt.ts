import type { TokenKind } from './token.ts'

/** Tether USD. */
export const usdt: TokenKind = {
  symbol: 'USDT',
  name: 'Tether USD',
  decimals: 6,
  isStablecoin: true,
}
