import { buildBundles } from './pages/html/find-bundles.ts'

/**
 * Makes what the buyers' pages consist of beside themselves, with WalletConnect and without it.
 *
 * @throws where the repository's cache cannot be written.
 */
export async function buildPages(): Promise<void> {
  for (const hasWalletConnect of [false, true]) await buildBundles({ hasWalletConnect })
}
