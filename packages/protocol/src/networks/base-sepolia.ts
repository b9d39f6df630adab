import type { NetworkFacts } from './network-facts.ts'

export const baseSepolia: NetworkFacts = {
  id: 84532,
  name: 'Base Sepolia',
  use: 'test',
  explorerUrl: 'https://sepolia.basescan.org',
  publicRpcUrl: 'https://sepolia.base.org',
  nativeToken: 'ETH',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', decimals: 6 },
  },
  longestBlockGapMs: 120_000,
}
