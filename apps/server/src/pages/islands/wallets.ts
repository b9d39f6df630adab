import type { Provider } from './provider.ts'

/** A wallet that is in this browser. */
export type BrowserWallet = {
  /** The wallet's own reverse domain name; stays the same over reloads. */
  readonly id: string
  /** Absent: a wallet of the old kind that does not say its name. */
  readonly name: string | undefined
  readonly icon: string | undefined
  readonly provider: Provider
}

type Announcement = CustomEvent<{
  info?: { uuid?: string; name?: string; icon?: string; rdns?: string }
  provider?: Provider
}>

const patienceMs = 400

/**
 * Looks for wallets: those that announce themselves by EIP-6963, at any time; else, when none did
 * in time, the one of the old kind. `onNone` where there is neither.
 */
export function discoverWallets(onWallet: (wallet: BrowserWallet) => void, onNone: () => void): void {
  const known = new Set<unknown>()
  addEventListener('eip6963:announceProvider', (event) => {
    const { info, provider } = (event as Announcement).detail ?? {}
    if (!info || !provider || known.has(provider) || known.has(info.uuid)) return
    known.add(provider).add(info.uuid)
    onWallet({
      id: String(info.rdns ?? info.name),
      name: String(info.name).slice(0, 60),
      icon: /^data:image\//.test(info.icon ?? '') ? info.icon : undefined,
      provider,
    })
  })
  dispatchEvent(new Event('eip6963:requestProvider'))

  const takeLegacy = () => {
    const provider = (window as { ethereum?: Provider }).ethereum
    if (known.size > 0 || !provider) return
    known.add(provider)
    onWallet({ id: 'browser', name: undefined, icon: undefined, provider })
  }
  addEventListener('ethereum#initialized', takeLegacy)
  setTimeout(() => {
    takeLegacy()
    if (known.size === 0) onNone()
  }, patienceMs)
}
