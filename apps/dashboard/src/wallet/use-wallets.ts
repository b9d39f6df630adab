import { useEffect, useState } from 'react'
import type { Provider } from './provider.ts'

/** A wallet in this browser. */
export type BrowserWallet = {
  readonly id: string
  /** Absent: a wallet of the old kind, which does not say its name. */
  readonly name: string | undefined
  readonly icon: string | undefined
  readonly provider: Provider
}

type Announcement = CustomEvent<{
  info?: { uuid?: string; name?: string; icon?: string; rdns?: string }
  provider?: Provider
}>

const patienceMs = 400
const maxIconLength = 100_000

/** The wallets that announce themselves (EIP-6963), else the one of the old kind; and whether the search is over. */
export function useWallets(): { wallets: readonly BrowserWallet[]; isSearchOver: boolean } {
  const [wallets, setWallets] = useState<readonly BrowserWallet[]>([])
  const [isSearchOver, endSearch] = useState(false)
  useEffect(() => {
    const known = new Set<unknown>()
    const add = (wallet: BrowserWallet) => setWallets((before) => [...before, wallet])
    const hear = (event: Event) => {
      const { info, provider } = (event as Announcement).detail ?? {}
      if (!info || !provider || known.has(provider) || known.has(info.uuid)) return
      known.add(provider).add(info.uuid)
      add({
        id: String(info.rdns ?? info.name),
        name: String(info.name).slice(0, 60),
        icon: iconOf(info.icon),
        provider,
      })
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
      setWallets([])
    }
  }, [])
  return { wallets, isSearchOver }
}

function iconOf(icon: string | undefined): string | undefined {
  return icon && icon.length <= maxIconLength && /^data:image\//.test(icon) ? icon : undefined
}
