import type { BrowserWallet } from './wallets.ts'

/** Brings the panel's list of wallets up to date: adds what is new and leaves the rest, focus included, alone. */
export function fillWalletList(wallets: readonly BrowserWallet[], isSearchOver: boolean): void {
  const list = document.querySelector<HTMLElement>('[data-wallets]')
  const none = document.querySelector<HTMLElement>('[data-no-wallet]')
  if (!list || !none) return
  if (wallets.length > 0) list.querySelector('.looking')?.remove()
  for (let i = list.querySelectorAll('[data-act=wallet]').length; i < wallets.length; i++) {
    const wallet = wallets[i]
    const button = wallet && makeButton(wallet, i)
    if (button) list.append(button)
  }
  const isNone = isSearchOver && wallets.length === 0
  list.hidden = isNone
  none.hidden = !isNone
}

/** What the wallet is called on the page. */
export function walletName(wallet: BrowserWallet): string {
  const unnamed = document.querySelector<HTMLTemplateElement>('template[data-step=browser-wallet]')
  return wallet.name ?? unnamed?.content.textContent ?? ''
}

function makeButton(wallet: BrowserWallet, index: number): DocumentFragment | undefined {
  const template = document.querySelector<HTMLTemplateElement>('template[data-step=wallet-button]')
  const item = template?.content.cloneNode(true) as DocumentFragment | undefined
  const button = item?.querySelector('button')
  const image = button?.querySelector('img')
  const name = button?.querySelector('[data-slot=wallet]')
  if (!button || !image || !name) return undefined
  button.dataset.index = String(index)
  if (wallet.icon) image.src = wallet.icon
  else image.remove()
  name.textContent = walletName(wallet)
  return item
}
