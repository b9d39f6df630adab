import { discoverWallets } from '@sluice/browser-wallet/discover-wallets.ts'
import { useEffect, useState } from 'react'
import { text } from '../messages/messages.ts'
import { useWebApp } from '../service/use-web-app.ts'
import { useElsewhere } from './elsewhere.ts'
import type { BrowserWallet } from './provider.ts'

/**
 * Returns the available wallets, and whether the search has finished.
 *
 * Lists the demo wallet, the wallets in the browser (EIP-6963, otherwise the injected one) and connected
 * wallets outside the browser.
 */
export function useWallets(): { wallets: readonly BrowserWallet[]; isSearchOver: boolean } {
  const [found, setFound] = useState<readonly BrowserWallet[]>([])
  const [isSearchOver, endSearch] = useState(false)
  const demo = useDemoWallet()
  const elsewhere = useElsewhere()
  useEffect(() => {
    const search = new AbortController()
    discoverWallets(
      (wallet) => setFound((before) => [...before, wallet]),
      () => endSearch(true),
      search.signal,
    )
    return () => {
      search.abort()
      setFound([])
    }
  }, [])
  return { wallets: [...(demo ? [demo] : []), ...found, ...elsewhere], isSearchOver }
}

function useDemoWallet(): BrowserWallet | undefined {
  const path = useWebApp()?.demoWallet
  const [wallet, setWallet] = useState<BrowserWallet>()
  useEffect(() => {
    if (!path) return
    void import('./demo-wallet.ts').then(({ demoWallet }) =>
      setWallet(demoWallet(path, text('sign-in.demo-wallet'))),
    )
  }, [path])
  return wallet
}
