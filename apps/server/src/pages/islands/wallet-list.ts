import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { fill, pageData, pageText } from './stage.ts'
import { loadSteps } from './steps.ts'
import type { BrowserWallet } from './wallet/payment.ts'

const lastKey = 'sluice:wallet'

/** Wallets in display order. Once a button is visible, later wallets do not move it. */
const shown: BrowserWallet[] = []
const found: BrowserWallet[] = []
let isSearchOver = false

/** Adds a wallet. The most recently used wallet comes first if it is found before others are shown. */
export function addWallet(wallet: BrowserWallet): void {
  found.push(wallet)
  fillWalletList()
}

/** Ends the search. `more`, the connection to wallets outside this browser, becomes the last entry. */
export function endWalletSearch(more?: BrowserWallet): void {
  isSearchOver = true
  if (more) found.push(more)
  fillWalletList()
}

export function walletAt(index: number): BrowserWallet | undefined {
  return found[index]
}

/** Adds new buttons without touching the existing ones, so that the focus is kept. */
export function fillWalletList(): void {
  const list = document.querySelector<HTMLElement>('[data-wallets]')
  const none = document.querySelector<HTMLElement>('[data-no-wallet]')
  orderFound()
  if (!list || !none) return
  if (shown.length > 0) {
    list.querySelector('.looking')?.remove()
    // A buyer with a wallet will probably need the steps next.
    loadSteps().catch(() => {})
  }
  for (const [i, wallet] of shown.entries()) {
    if (list.querySelector(`[data-act=wallet][data-index="${found.indexOf(wallet)}"]`)) continue
    if (i === 0) list.prepend(...makeItems(i))
    else list.append(...makeItems(i))
  }
  if (shown.length > 1) for (const hint of list.querySelectorAll('.hint')) hint.remove()
  const isNone = isSearchOver && found.every((wallet) => wallet.isElsewhere)
  none.hidden = !isNone
  list.hidden = isNone && shown.length === 0
}

export function walletName(wallet: BrowserWallet): string {
  return wallet.name ?? pageText('browser-wallet')
}

export function keepLastWallet({ id }: BrowserWallet): void {
  try {
    localStorage.setItem(lastKey, id)
  } catch {}
}

function orderFound(): void {
  // If only WalletConnect is shown so far, the next wallet takes the first position, whose space is reserved.
  const isLate = shown.length > 0 && shown.every((wallet) => wallet.isElsewhere)
  if (shown.length === 0) {
    const last = readLastWallet()
    const first = found.find((wallet) => wallet.id === last)
    if (!first && last !== undefined && !isSearchOver) return
    if (first) shown.push(first)
  }
  const added = found.filter((wallet) => !shown.includes(wallet))
  shown.unshift(...added.splice(0, isLate ? 1 : 0))
  shown.push(...added)
}

function readLastWallet(): string | undefined {
  try {
    return localStorage.getItem(lastKey) ?? undefined
  } catch {
    return undefined
  }
}

function makeItems(index: number): DocumentFragment[] {
  const wallet = shown[index]
  const name = index === 0 ? 'first' : 'more'
  const template = document.querySelector<HTMLTemplateElement>(`template[data-step=wallet-${name}]`)
  if (!wallet || !template) return []
  const called = walletName(wallet)
  const item = fill(template, { wallet: called, letter: [...called][0]?.toUpperCase() ?? '' })
  const button = item.querySelector<HTMLElement>('[data-act=wallet]')
  const image = item.querySelector('img')
  if (button) button.dataset.index = String(found.indexOf(wallet))
  if (wallet.icon && image) {
    image.src = wallet.icon
    item.querySelector('.letter')?.remove()
  } else image?.remove()
  return [item]
}

/** Options of the WalletConnect script, which is loaded on demand. */
export type ElsewhereOptions = {
  readonly projectId: string
  readonly chainId: number
  show(step: string, slots?: Readonly<Record<string, string>>): void
}

type Script = { connect(options: ElsewhereOptions): Promise<Provider> }

export function walletElsewhere(): BrowserWallet | undefined {
  const { walletconnect, project: projectId } = pageData.panel().dataset
  if (!walletconnect || !projectId) return undefined
  let connected: Provider | undefined
  return {
    id: 'walletconnect',
    name: 'WalletConnect',
    icon: undefined,
    isElsewhere: true,
    async open(show) {
      if (connected && !connected.isOver) return connected
      show('walletconnect-loading')
      const chainId = pageData.offer()?.chain.id ?? 0
      const script = (await import(walletconnect)) as Script
      connected = await script.connect({ projectId, chainId, show })
      return connected
    },
  }
}
