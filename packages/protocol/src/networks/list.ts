import { base } from './base.ts'
import { baseSepolia } from './base-sepolia.ts'
import { local } from './local.ts'
import type { NetworkFacts } from './network-facts.ts'

export const networks: readonly NetworkFacts[] = [base, baseSepolia, local]

export const defaultNetwork = base

export const localNetwork = local

export function findNetwork(id: number): NetworkFacts | undefined {
  return networks.find((network) => network.id === id)
}

export function isLocalNetwork(id: number): boolean {
  return findNetwork(id)?.use === 'local'
}
