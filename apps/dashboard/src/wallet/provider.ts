import type { DiscoveredWallet } from '@sluice/browser-wallet/discover-wallets.ts'
import type { Provider as BrowserProvider } from '@sluice/browser-wallet/provider.ts'
import { readError } from '@sluice/browser-wallet/read-error.ts'

/** A wallet as EIP-1193 has it. */
export type Provider = BrowserProvider

/** A wallet that can be asked to sign. */
export type BrowserWallet = Omit<DiscoveredWallet, 'open'>

/** Why a wallet did not do what it was asked, as far as the app has words of its own for it. */
export type WalletError = 'rejected' | 'busy' | 'other'

/** Reads a wallet's error. */
export function readWalletError(error: unknown): WalletError {
  const { kind } = readError(error)
  return kind === 'rejected' || kind === 'busy' ? kind : 'other'
}
