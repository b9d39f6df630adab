import type { TokenFacts } from './token-facts.ts'

export const usdt = {
  symbol: 'USDT',
  name: 'Tether USD',
  decimals: 6,
  isStablecoin: true,
  pricedAs: 'USDT',
  local: { usdE8: 100_000_000n, purse: 1_000_000 },
} as const satisfies TokenFacts
