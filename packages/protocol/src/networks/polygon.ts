import type { NetworkFacts } from './network-facts.ts'

export const polygon: NetworkFacts = {
  id: 137,
  name: 'Polygon PoS',
  use: 'live',
  explorerUrl: 'https://polygonscan.com',
  publicRpcUrl: 'https://polygon.drpc.org',
  nativeToken: 'POL',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', decimals: 6 },
    // USDT0; https://polygonscan.com/token/0xc2132D05D31c914a87C6611C10748AEb04B58e8F
    USDT: { address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', decimals: 6 },
  },
  // https://docs.chain.link/data-feeds/price-feeds/addresses
  chainlinkFeeds: {
    POL: '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0',
  },
  longestBlockGapMs: 120_000,
}
