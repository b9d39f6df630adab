import type { NetworkFacts } from './network-facts.ts'

export const base: NetworkFacts = {
  id: 8453,
  name: 'Base',
  use: 'live',
  explorerUrl: 'https://basescan.org',
  publicRpcUrl: 'https://mainnet.base.org',
  nativeToken: 'ETH',
  tokens: {
    USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    USDT: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
    cbBTC: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
    cbXRP: '0xcb585250f852C6c6bf90434AB21A00f02833a4af',
  },
  chainlinkFeeds: {
    ETH: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
    cbBTC: '0x64c911996D3c6aC71f9b455B1E8E7266BcbD848F',
  },
  longestBlockGapMs: 120_000,
}
