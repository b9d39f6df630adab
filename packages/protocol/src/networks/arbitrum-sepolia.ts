import type { NetworkFacts } from './network-facts.ts'

export const arbitrumSepolia: NetworkFacts = {
  id: 421_614,
  name: 'Arbitrum Sepolia',
  use: 'test',
  explorerUrl: 'https://sepolia.arbiscan.io',
  publicRpcUrl: 'https://sepolia-rollup.arbitrum.io/rpc',
  nativeToken: 'ETH',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', decimals: 6 },
  },
  longestBlockGapMs: 120_000,
}
