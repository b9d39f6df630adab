import type { NetworkFacts } from './network-facts.ts'

export const bnbTestnet: NetworkFacts = {
  id: 97,
  name: 'BNB Smart Chain Testnet',
  use: 'test',
  explorerUrl: 'https://testnet.bscscan.com',
  publicRpcUrl: 'https://data-seed-prebsc-1-s1.bnbchain.org:8545',
  nativeToken: 'BNB',
  tokens: {
    // Without signatures; PancakeSwap: https://www.npmjs.com/package/@pancakeswap/tokens
    USDC: { address: '0x64544969ed7EBf5f083679233325356EbE738930', decimals: 18, signing: undefined },
    // https://testnet.bscscan.com/token/0x337610d27c682E347C9cD60BD4b3b107C9d34dDd
    USDT: { address: '0x337610d27c682E347C9cD60BD4b3b107C9d34dDd', decimals: 18 },
  },
  longestBlockGapMs: 120_000,
}
