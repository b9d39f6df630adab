import type { NetworkFacts } from './network-facts.ts'

export const local: NetworkFacts = {
  id: 31337,
  name: 'Local chain',
  use: 'local',
  nativeToken: 'ETH',
  tokens: {},
  longestBlockGapMs: 120_000,
}
