import type { TokenFacts } from './token-facts.ts'

export const bnb = {
  symbol: 'BNB',
  name: 'BNB',
  decimals: 18,
  isStablecoin: false,
  pricedAs: 'BNB',
  local: { usdE8: 80_000_000_000n, purse: 0 },
} as const satisfies TokenFacts
