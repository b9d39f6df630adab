import type { IslandOffer } from '../live/island-data.ts'
import { pageData } from './page-data.ts'
import { isMinedWell, pay, switchChain } from './pay.ts'
import { dropSent, findSent, keepSent, type Sent } from './sent.ts'
import { type Slots, shownStep, showStep } from './stage.ts'
import { walletName } from './wallet-list.ts'
import type { BrowserWallet } from './wallets.ts'

let chosen: BrowserWallet | undefined
/** Each try to pay has a number; an older one asks nothing more of its wallet. */
let tryCount = 0

/** Pays the offer in the page with `wallet`, else with the one chosen before. */
export async function payWithWallet(wallet: BrowserWallet | undefined = chosen): Promise<void> {
  const offer = pageData.offer()
  if (!wallet || !offer) return
  chosen = wallet
  const own = ++tryCount
  const isWanted = () => own === tryCount
  const show = (step: string, slots: Slots = {}) => {
    if (isWanted()) showStep(step, { wallet: walletName(wallet), ...links(slots), ...slots })
  }
  const ending = await pay({ provider: wallet.provider, offer, show, isWanted })
  if (!ending) return
  if (ending.step === 'sent') {
    recordSent(ending.slots?.hash ?? '', wallet, offer)
    return
  }
  show(ending.step, ending.slots)
  if (ending.step === 'wrong-network') goOnWhenSwitched(wallet, isWanted)
}

/** Asks the chosen wallet to change its network, and goes on. */
export async function switchAndPay(): Promise<void> {
  const offer = pageData.offer()
  if (!chosen || !offer) return
  const wallet = chosen
  const own = tryCount
  const isDone = await switchChain(wallet.provider, offer)
  if (own !== tryCount) return
  if (isDone) return payWithWallet(wallet)
  showStep('switch-refused', { wallet: walletName(wallet), chainId: String(offer.chain.id) })
}

/** Leaves the wallet alone from now on. What was confirmed in it is still noted when it comes. */
export function letGo(): void {
  tryCount++
}

/** Forgets what was sent: the buyer says that it failed. */
export function pruneSent(): void {
  dropSent(pageData.receipt())
}

/** Where this browser has sent what the panel asks for, shows that instead. */
export function showSent(): Sent | undefined {
  const sent = findSent(pageData.receipt(), pageData.offer()?.received ?? '')
  if (sent) showStep('sent', { hash: sent.hash, ...links(sent) })
  return sent
}

/** A payment that the network undoes is never heard of by the server, so the wallet that sent it is asked. */
export function watchSent(wallet: BrowserWallet): void {
  const sent = findSent(pageData.receipt(), pageData.offer()?.received ?? '')
  if (sent?.walletId !== wallet.id || shownStep() !== 'sent') return
  const own = tryCount
  chosen = wallet
  isMinedWell(wallet.provider, sent.hash, () => own === tryCount).then(
    (isWell) => {
      if (isWell) return
      dropSent(pageData.receipt())
      showStep('reverted', { hash: sent.hash, wallet: walletName(wallet), ...links(sent) })
    },
    () => {},
  )
}

function recordSent(hash: string, wallet: BrowserWallet, paid: IslandOffer): void {
  keepSent(pageData.receipt(), { hash, walletId: wallet.id, received: paid.received })
  // Whatever the panel came to be meanwhile: where it still asks for this money, it must not any more.
  if (showSent()) watchSent(wallet)
  const { hint } = pageData.panel().dataset
  if (!hint) return
  // Only a hint to look sooner: the watcher finds the payment without it.
  fetch(hint, {
    method: 'POST',
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ transactionHash: hash }),
  }).catch(() => {})
}

/** Who changes the network in the wallet itself need not press anything here. */
function goOnWhenSwitched(wallet: BrowserWallet, isWanted: () => boolean): void {
  const goOn = () => {
    wallet.provider.removeListener?.('chainChanged', goOn)
    if (isWanted()) void payWithWallet(wallet)
  }
  wallet.provider.on?.('chainChanged', goOn)
}

function links({ hash }: { readonly hash?: string }): Slots {
  const explorer = pageData.offer()?.chain.explorerUrl
  return explorer && hash ? { explorer: `${explorer}/tx/${hash}` } : {}
}
