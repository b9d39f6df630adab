import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { fill, pageData, pageText } from './stage.ts'
import { loadSteps } from './steps.ts'
import type { BrowserWallet } from './wallet/payment.ts'

const lastKey = 'sluice:wallet'

/** The wallets in the order they are shown in: once a button is there, nothing takes its place on the page. */
const shown: BrowserWallet[] = []
/** As they came; a button holds its wallet's place here. */
const found: BrowserWallet[] = []
let isSearchOver = false

/** Takes a wallet into the list. One that was used last stands first, if it comes before others are shown. */
export function addWallet(wallet: BrowserWallet): void {
  found.push(wallet)
  fillWalletList()
}

/** Nobody is waited for any more; `more` comes last, the way to a wallet outside this browser. */
export function endWalletSearch(more?: BrowserWallet): void {
  isSearchOver = true
  if (more) found.push(more)
  fillWalletList()
}

/** The wallet behind a button. */
export function walletAt(index: number): BrowserWallet | undefined {
  return found[index]
}

/** Brings the panel's list up to date: adds what is new and leaves the rest, focus included, alone. */
export function fillWalletList(): void {
  const list = document.querySelector<HTMLElement>('[data-wallets]')
  const none = document.querySelector<HTMLElement>('[data-no-wallet]')
  orderFound()
  if (!list || !none) return
  if (shown.length > 0) {
    list.querySelector('.looking')?.remove()
    // Whoever has a wallet may press its button next.
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

/** What the wallet is called on the page. */
export function walletName(wallet: BrowserWallet): string {
  return wallet.name ?? pageText('browser-wallet')
}

/** Remembers a wallet as the one that was used last. */
export function keepLastWallet({ id }: BrowserWallet): void {
  try {
    localStorage.setItem(lastKey, id)
  } catch {
    // Storage is full or forbidden: then the first one found stands first.
  }
}

function orderFound(): void {
  // Above the way to other wallets, where that alone is shown, stands something that goes now: its room is the first's.
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

/** The button of a wallet: a large one for the first, and under it a line on how else to pay until there are more. */
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

/** What the script of its own is given; it is loaded when somebody asks for it, and not before. */
export type ElsewhereOptions = {
  readonly projectId: string
  readonly chainId: number
  /** Shows the address to connect by, as a code and as a link. */
  show(step: string, slots?: Readonly<Record<string, string>>): void
}

type Script = { connect(options: ElsewhereOptions): Promise<Provider> }

/** The way to a wallet outside this browser, WalletConnect, where the service is set up for it. */
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
