import type { DiscoveredWallet } from '@sluice/browser-wallet/discover-wallets.ts'
import type { Provider as BrowserProvider } from '@sluice/browser-wallet/provider.ts'
import { readError } from '@sluice/browser-wallet/read-error.ts'

/** An EIP-1193 provider. */
export type Provider = BrowserProvider

export type BrowserWallet = Omit<DiscoveredWallet, 'open'>

export type WalletError = 'rejected' | 'busy' | 'other'

export function readWalletError(error: unknown): WalletError {
  const { kind } = readError(error)
  return kind === 'rejected' || kind === 'busy' ? kind : 'other'
}
