const names: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  56: 'BNB Smart Chain',
  100: 'Gnosis',
  137: 'Polygon',
  324: 'zkSync Era',
  8453: 'Base',
  31337: 'Local chain',
  42161: 'Arbitrum One',
  43114: 'Avalanche',
  59144: 'Linea',
  84532: 'Base Sepolia',
  11155111: 'Sepolia',
}

/** What people call a chain; its number where we do not know. */
export function chainName(id: number): string {
  return names[id] ?? `chain id ${id}`
}
