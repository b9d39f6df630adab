import type { NetworkFacts } from './network-facts.ts'

export const arbitrum: NetworkFacts = {
  id: 42_161,
  name: 'Arbitrum One',
  use: 'live',
  explorerUrl: 'https://arbiscan.io',
  publicRpcUrl: 'https://arb1.arbitrum.io/rpc',
  nativeToken: 'ETH',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', decimals: 6 },
    // USDT0; https://arbiscan.io/token/0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9
    USDT: { address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', decimals: 6 },
    // Coinbase, as listed by https://tokens.uniswap.org
    cbBTC: { address: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', decimals: 8 },
  },
  // https://docs.chain.link/data-feeds/price-feeds/addresses
  chainlinkFeeds: {
    ETH: '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612',
    cbBTC: '0x6ce185860a4963106506C203335A2910413708e9',
  },
  longestBlockGapMs: 120_000,
}
