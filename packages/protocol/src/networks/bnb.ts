import type { NetworkFacts } from './network-facts.ts'

export const bnb: NetworkFacts = {
  id: 56,
  name: 'BNB Smart Chain',
  use: 'live',
  explorerUrl: 'https://bscscan.com',
  publicRpcUrl: 'https://bsc-dataseed.bnbchain.org',
  nativeToken: 'BNB',
  tokens: {
    // Binance-Peg, without signatures; https://bscscan.com/token/0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d
    USDC: { address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', decimals: 18, signing: undefined },
    // Binance-Peg; https://bscscan.com/token/0x55d398326f99059fF775485246999027B3197955
    USDT: { address: '0x55d398326f99059fF775485246999027B3197955', decimals: 18 },
  },
  // https://docs.chain.link/data-feeds/price-feeds/addresses
  chainlinkFeeds: {
    BNB: '0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE',
  },
  longestBlockGapMs: 120_000,
}
