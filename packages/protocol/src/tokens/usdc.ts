import type { TokenFacts } from './token-facts.ts'

export const usdc = {
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  isStablecoin: true,
  pricedAs: 'USDC',
  notQuotedBy: ['coinbase'],
  local: { usdE8: 100_000_000n, purse: 1_000_000 },
  signing: { name: 'USD Coin', version: '2' },
} as const satisfies TokenFacts
