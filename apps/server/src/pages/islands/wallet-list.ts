import { fill, pageText } from './stage.ts'
import type { BrowserWallet } from './wallet/wallets.ts'

const lastKey = 'sluice:wallet'

/** The wallets in the order they are shown in: once a button is there, nothing takes its place. */
const shown: BrowserWallet[] = []
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
  return shown[index]
}

/** Brings the panel's list up to date: adds what is new and leaves the rest, focus included, alone. */
export function fillWalletList(): void {
  const list = document.querySelector<HTMLElement>('[data-wallets]')
  const none = document.querySelector<HTMLElement>('[data-no-wallet]')
  orderFound()
  if (!list || !none) return
  if (shown.length > 0) list.querySelector('.looking')?.remove()
  for (let i = list.querySelectorAll('[data-act=wallet]').length; i < shown.length; i++) {
    if (i === 1) list.querySelector('.hint')?.remove()
    list.append(...makeItems(i))
  }
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
  if (shown.length === 0) {
    const last = readLastWallet()
    const first = found.find((wallet) => wallet.id === last)
    if (!first && last !== undefined && !isSearchOver) return
    if (first) shown.push(first)
  }
  shown.push(...found.filter((wallet) => !shown.includes(wallet)))
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
  if (button) button.dataset.index = String(index)
  if (wallet.icon && image) {
    image.src = wallet.icon
    item.querySelector('.letter')?.remove()
  } else image?.remove()
  return [item]
}
