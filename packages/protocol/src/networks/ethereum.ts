import type { NetworkFacts } from './network-facts.ts'

export const ethereum: NetworkFacts = {
  id: 1,
  name: 'Ethereum',
  use: 'live',
  explorerUrl: 'https://etherscan.io',
  publicRpcUrl: 'https://ethereum-rpc.publicnode.com',
  nativeToken: 'ETH',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
    // Tether: https://tether.to/en/supported-protocols
    USDT: { address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6 },
    // https://etherscan.io/token/0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf
    cbBTC: { address: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', decimals: 8 },
  },
  // https://docs.chain.link/data-feeds/price-feeds/addresses
  chainlinkFeeds: {
    ETH: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
    cbBTC: '0xF4030086522a5bEEa4988F8cA5B36dbC97BeE88c',
  },
  longestBlockGapMs: 120_000,
}
