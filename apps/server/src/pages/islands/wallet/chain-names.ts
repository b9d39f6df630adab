import { findNetwork } from '@sluice/protocol/networks/list.ts'

/** Networks that a wallet is often on and that no deployment is. */
const others: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  56: 'BNB Smart Chain',
  100: 'Gnosis',
  137: 'Polygon',
  324: 'zkSync Era',
  42161: 'Arbitrum One',
  43114: 'Avalanche',
  59144: 'Linea',
  11155111: 'Sepolia',
}

/** What people call a chain; empty where we do not know. */
export function chainName(id: number): string {
  return findNetwork(id)?.name ?? others[id] ?? ''
}
