import type { NetworkFacts } from './network-facts.ts'

/** The development chain that the service starts by itself. */
export const local: NetworkFacts = {
  id: 31337,
  name: 'Local chain',
  use: 'local',
  nativeToken: 'ETH',
  tokens: {},
  longestBlockGapMs: 120_000,
}
