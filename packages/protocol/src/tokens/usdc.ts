import type { TokenKind } from './token.ts'

/** USD Coin. */
export const usdc: TokenKind = {
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  isStablecoin: true,
  signing: { name: 'USD Coin', version: '2' },
}
