import { buildBundles } from './pages/html/find-bundles.ts'
import type { Locale } from './pages/messages/locales.ts'
import { translator } from './pages/messages/translator.ts'
import { walletSteps } from './pages/panels/wallet-steps.ts'

/**
 * Makes what the buyers' pages consist of beside themselves, with WalletConnect and without it.
 *
 * @throws where the repository's cache cannot be written.
 */
export async function buildPages(): Promise<void> {
  for (const hasWalletConnect of [false, true]) {
    const steps = (locale: Locale) => walletSteps(translator(locale), { hasWalletConnect })
    await buildBundles({ hasWalletConnect, steps })
  }
}
