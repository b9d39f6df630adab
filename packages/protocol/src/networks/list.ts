import { base } from './base.ts'
import { baseSepolia } from './base-sepolia.ts'
import { local } from './local.ts'
import type { NetworkFacts } from './network-facts.ts'

/** Every network a deployment can be on. */
export const networks: readonly NetworkFacts[] = [base, baseSepolia, local]

/** The one meant where only endpoints are named. */
export const defaultNetwork = base

/** The one that the service starts by itself. */
export const localNetwork = local

/** The network of a chain id; `undefined` where it is none of ours. */
export function findNetwork(id: number): NetworkFacts | undefined {
  return networks.find((network) => network.id === id)
}

/** Whether a chain id is a development chain's: free gas, few blocks, and nobody's money. */
export function isLocalNetwork(id: number): boolean {
  return findNetwork(id)?.use === 'local'
}
