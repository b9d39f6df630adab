import { useEffect, useState } from 'react'
import { text } from '../messages/messages.ts'
import { useWebApp } from '../service/use-web-app.ts'
import { useElsewhere } from './elsewhere.ts'
import type { BrowserWallet, Provider } from './provider.ts'

type Announcement = CustomEvent<{
  info?: { uuid?: string; name?: string; icon?: string; rdns?: string }
  provider?: Provider
}>

const patienceMs = 400
const maxIconLength = 100_000
const maxWallets = 24

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
    const known = new Set<unknown>()
    const add = (wallet: BrowserWallet) => setFound((before) => [...before, wallet])
    const hear = (event: Event) => {
      const { info, provider } = (event as Announcement).detail ?? {}
      if (!info || !provider || known.has(provider) || known.has(info.uuid)) return
      if (known.size >= maxWallets * 2) return
      known.add(provider).add(info.uuid)
      const name = String(info.name ?? '').slice(0, 60)
      add({ id: String(info.rdns ?? name), name, icon: iconOf(info.icon), provider })
    }
    addEventListener('eip6963:announceProvider', hear)
    dispatchEvent(new Event('eip6963:requestProvider'))
    const timer = setTimeout(() => {
      const provider = (window as { ethereum?: Provider }).ethereum
      if (known.size === 0 && provider) add({ id: 'browser', name: undefined, icon: undefined, provider })
      endSearch(true)
    }, patienceMs)
    return () => {
      removeEventListener('eip6963:announceProvider', hear)
      clearTimeout(timer)
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

function iconOf(icon: string | undefined): string | undefined {
  return icon && icon.length <= maxIconLength && /^data:image\//.test(icon) ? icon : undefined
}
