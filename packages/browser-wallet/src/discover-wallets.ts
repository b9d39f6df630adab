import type { Provider } from './provider.ts'

/** A wallet in this browser. */
export type DiscoveredWallet = {
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
const maxNameLength = 40
/** Icons of some thousand bytes are usual; what fills the memory of a page is none. */
const maxIconLength = 64_000
/** Whoever announces more is no wallet. */
const maxWallets = 24

/**
 * Looks for wallets: those that announce themselves by EIP-6963, at any time; else, when none did
 * in time, the one of the old kind. `onOver` once nobody is waited for any more.
 *
 * @returns what ends the search.
 */
export function discoverWallets(
  onWallet: (wallet: DiscoveredWallet) => void,
  onOver: () => void,
): () => void {
  const known = new Set<unknown>()
  const take = (key: unknown, info: { id: string; name?: string; icon?: unknown }, provider: Provider) => {
    known.add(provider).add(key)
    onWallet({ id: info.id, name: info.name, icon: iconOf(info.icon), provider })
  }
  const hear = (event: Event) => {
    const { info, provider } = (event as Announcement).detail ?? {}
    if (!info || !provider || known.has(provider) || known.has(info.uuid)) return
    if (known.size >= maxWallets * 2) return
    const name = String(info.name ?? '').slice(0, maxNameLength)
    take(info.uuid, { id: String(info.rdns ?? name), name, icon: info.icon }, provider)
  }
  addEventListener('eip6963:announceProvider', hear)
  dispatchEvent(new Event('eip6963:requestProvider'))

  const takeLegacy = () => {
    const provider = (window as { ethereum?: Provider }).ethereum
    if (known.size === 0 && provider) take('browser', { id: 'browser' }, provider)
  }
  addEventListener('ethereum#initialized', takeLegacy)
  const timer = setTimeout(() => {
    takeLegacy()
    onOver()
  }, patienceMs)
  return () => {
    removeEventListener('eip6963:announceProvider', hear)
    removeEventListener('ethereum#initialized', takeLegacy)
    clearTimeout(timer)
  }
}

function iconOf(icon: unknown): string | undefined {
  return typeof icon === 'string' && icon.length <= maxIconLength && /^data:image\//.test(icon)
    ? icon
    : undefined
}
