import type { NetworkFacts } from './network-facts.ts'

export const polygonAmoy: NetworkFacts = {
  id: 80_002,
  name: 'Polygon Amoy',
  use: 'test',
  explorerUrl: 'https://amoy.polygonscan.com',
  publicRpcUrl: 'https://polygon-amoy.drpc.org',
  nativeToken: 'POL',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', decimals: 6 },
  },
  longestBlockGapMs: 120_000,
}
