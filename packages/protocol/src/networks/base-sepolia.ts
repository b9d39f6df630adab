import type { NetworkFacts } from './network-facts.ts'

export const baseSepolia: NetworkFacts = {
  id: 84532,
  name: 'Base Sepolia',
  use: 'test',
  explorerUrl: 'https://sepolia.basescan.org',
  publicRpcUrl: 'https://sepolia.base.org',
  nativeToken: 'ETH',
  tokens: { USDC: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
  longestBlockGapMs: 120_000,
}
