import type { TokenFacts } from './token-facts.ts'

export const cbbtc = {
  symbol: 'cbBTC',
  name: 'Coinbase Wrapped BTC',
  decimals: 8,
  isStablecoin: false,
  pricedAs: 'BTC',
  local: { usdE8: 6_000_000_000_000n, purse: 100 },
} as const satisfies TokenFacts
