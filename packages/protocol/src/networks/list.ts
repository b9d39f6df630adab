import { arbitrum } from './arbitrum.ts'
import { arbitrumSepolia } from './arbitrum-sepolia.ts'
import { base } from './base.ts'
import { baseSepolia } from './base-sepolia.ts'
import { bnb } from './bnb.ts'
import { bnbTestnet } from './bnb-testnet.ts'
import { ethereum } from './ethereum.ts'
import { local } from './local.ts'
import type { NetworkFacts } from './network-facts.ts'
import { optimism } from './optimism.ts'
import { optimismSepolia } from './optimism-sepolia.ts'
import { polygon } from './polygon.ts'
import { polygonAmoy } from './polygon-amoy.ts'
import { sepolia } from './sepolia.ts'

export const networks: readonly NetworkFacts[] = [
  ...[base, ethereum, optimism, arbitrum, polygon, bnb],
  ...[baseSepolia, sepolia, optimismSepolia, arbitrumSepolia, polygonAmoy, bnbTestnet],
  local,
]

export const defaultNetwork = base

export const localNetwork = local

export function findNetwork(id: number): NetworkFacts | undefined {
  return networks.find((network) => network.id === id)
}

export function isLocalNetwork(id: number): boolean {
  return findNetwork(id)?.use === 'local'
}
