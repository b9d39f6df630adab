import type { NetworkFacts } from './network-facts.ts'

export const optimism: NetworkFacts = {
  id: 10,
  name: 'OP Mainnet',
  use: 'live',
  explorerUrl: 'https://optimistic.etherscan.io',
  publicRpcUrl: 'https://mainnet.optimism.io',
  nativeToken: 'ETH',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', decimals: 6 },
    // Bridged; https://github.com/ethereum-optimism/ethereum-optimism.github.io/blob/master/data/USDT/data.json
    USDT: { address: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', decimals: 6 },
  },
  // https://docs.chain.link/data-feeds/price-feeds/addresses
  chainlinkFeeds: {
    ETH: '0x13e3Ee699D1909E989722E753853AE30b17e08c5',
  },
  longestBlockGapMs: 120_000,
}
