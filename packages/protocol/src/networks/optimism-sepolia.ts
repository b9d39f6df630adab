import type { NetworkFacts } from './network-facts.ts'

export const optimismSepolia: NetworkFacts = {
  id: 11_155_420,
  name: 'OP Sepolia',
  use: 'test',
  explorerUrl: 'https://sepolia-optimism.etherscan.io',
  publicRpcUrl: 'https://sepolia.optimism.io',
  nativeToken: 'ETH',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0x5fd84259d66Cd46123540766Be93DFE6D43130D7', decimals: 6 },
  },
  longestBlockGapMs: 120_000,
}
