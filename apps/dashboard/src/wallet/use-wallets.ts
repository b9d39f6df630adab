import { discoverWallets } from '@sluice/browser-wallet/discover-wallets.ts'
import { useEffect, useState } from 'react'
import { text } from '../messages/messages.ts'
import { useWebApp } from '../service/use-web-app.ts'
import { useElsewhere } from './elsewhere.ts'
import type { BrowserWallet } from './provider.ts'

/**
 * The wallets there are: the demo merchant's on a local service, those that announce themselves in this browser
 * (EIP-6963), else the one of the old kind, and those connected elsewhere; and whether the search is over.
 */
export function useWallets(): { wallets: readonly BrowserWallet[]; isSearchOver: boolean } {
  const [found, setFound] = useState<readonly BrowserWallet[]>([])
  const [isSearchOver, endSearch] = useState(false)
  const demo = useDemoWallet()
  const elsewhere = useElsewhere()
  useEffect(() => {
    const stop = discoverWallets(
      (wallet) => setFound((before) => [...before, wallet]),
      () => endSearch(true),
    )
    return () => {
      stop()
      setFound([])
    }
  }, [])
  return { wallets: [...(demo ? [demo] : []), ...found, ...elsewhere], isSearchOver }
}

/** The demo merchant's wallet, where the service answers for it. */
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
