import type { TokenFacts } from './token-facts.ts'

export const eth = {
  symbol: 'ETH',
  name: 'Ether',
  decimals: 18,
  isStablecoin: false,
  pricedAs: 'ETH',
  local: { usdE8: 250_000_000_000n, purse: 100 },
} as const satisfies TokenFacts
