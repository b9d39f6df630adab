import type { TokenFacts } from './token-facts.ts'

export const pol = {
  symbol: 'POL',
  name: 'POL',
  decimals: 18,
  isStablecoin: false,
  pricedAs: 'POL',
  local: { usdE8: 25_000_000n, purse: 0 },
} as const satisfies TokenFacts
