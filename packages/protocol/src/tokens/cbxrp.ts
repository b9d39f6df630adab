import type { TokenFacts } from './token-facts.ts'

export const cbxrp = {
  symbol: 'cbXRP',
  name: 'Coinbase Wrapped XRP',
  decimals: 6,
  isStablecoin: false,
  pricedAs: 'XRP',
  local: { usdE8: 50_000_000n, purse: 1_000_000 },
} as const satisfies TokenFacts
