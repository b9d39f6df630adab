import type { Provider } from './provider.ts'

export type DiscoveredWallet = {
  /** Reverse domain name of the wallet. Stable across reloads. */
  readonly id: string
  /** Absent for a legacy `window.ethereum` wallet. */
  readonly name: string | undefined
  readonly icon: string | undefined
  readonly provider: Provider
  open(): Provider
}

type Announcement = CustomEvent<{
  info?: { uuid?: string; name?: string; icon?: string; rdns?: string }
  provider?: Provider
}>

const patienceMs = 400
const maxNameLength = 40
/** Icons are usually a few thousand bytes long. The limit protects the page's memory. */
const maxIconLength = 64_000
/** Limits a hostile extension that announces wallets endlessly. */
const maxWallets = 24

/**
 * Discovers EIP-6963 wallets whenever they announce themselves. After 400 ms, reports the legacy
 * `window.ethereum` if no wallet has announced itself, then calls `onOver`.
 *
 * @param signal - Ends the search. Without it, the search continues for the life of the page.
 */
export function discoverWallets(
  onWallet: (wallet: DiscoveredWallet) => void,
  onOver: () => void,
  signal?: AbortSignal,
): void {
  const known = new Set<unknown>()
  const take = (key: unknown, info: { id: string; name?: string; icon?: unknown }, provider: Provider) => {
    known.add(provider).add(key)
    onWallet({ id: info.id, name: info.name, icon: iconOf(info.icon), provider, open: () => provider })
  }
  const listening = signal ? { signal } : {}
  addEventListener(
    'eip6963:announceProvider',
    (event) => {
      const { info, provider } = (event as Announcement).detail ?? {}
      if (!info || !provider || known.has(provider) || known.has(info.uuid)) return
      if (known.size >= maxWallets * 2) return
      const name = String(info.name ?? '').slice(0, maxNameLength)
      take(info.uuid, { id: String(info.rdns ?? name), name, icon: info.icon }, provider)
    },
    listening,
  )
  dispatchEvent(new Event('eip6963:requestProvider'))

  const takeLegacy = () => {
    const provider = (window as { ethereum?: Provider }).ethereum
    if (known.size === 0 && provider) take('browser', { id: 'browser' }, provider)
  }
  addEventListener('ethereum#initialized', takeLegacy, listening)
  setTimeout(() => {
    if (signal?.aborted) return
    takeLegacy()
    onOver()
  }, patienceMs)
}

function iconOf(icon: unknown): string | undefined {
  return typeof icon === 'string' && icon.length <= maxIconLength && /^data:image\//.test(icon)
    ? icon
    : undefined
}
