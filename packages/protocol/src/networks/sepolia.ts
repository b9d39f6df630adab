import type { NetworkFacts } from './network-facts.ts'

export const sepolia: NetworkFacts = {
  id: 11_155_111,
  name: 'Sepolia',
  use: 'test',
  explorerUrl: 'https://sepolia.etherscan.io',
  publicRpcUrl: 'https://ethereum-sepolia-rpc.publicnode.com',
  nativeToken: 'ETH',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', decimals: 6 },
  },
  longestBlockGapMs: 120_000,
}
