import type { NetworkFacts } from './network-facts.ts'

export const base: NetworkFacts = {
  id: 8453,
  name: 'Base',
  use: 'live',
  explorerUrl: 'https://basescan.org',
  publicRpcUrl: 'https://mainnet.base.org',
  nativeToken: 'ETH',
  tokens: {
    // Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
    USDC: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
    // Bridged; https://github.com/ethereum-optimism/ethereum-optimism.github.io/blob/master/data/USDT/data.json
    USDT: { address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', decimals: 6 },
    // https://basescan.org/token/0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf
    cbBTC: { address: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', decimals: 8 },
    // https://basescan.org/token/0xcb585250f852C6c6bf90434AB21A00f02833a4af
    cbXRP: { address: '0xcb585250f852C6c6bf90434AB21A00f02833a4af', decimals: 6 },
  },
  // https://docs.chain.link/data-feeds/price-feeds/addresses
  chainlinkFeeds: {
    ETH: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
    cbBTC: '0x64c911996D3c6aC71f9b455B1E8E7266BcbD848F',
  },
  longestBlockGapMs: 120_000,
}
