import type { IslandOffer, LiveStatus } from '../island-data.ts'
import { follow } from './follow.ts'
import { leaveSoon } from './leave.ts'
import { type Ending, isMinedWell, pay, switchChain } from './pay.ts'
import { dropSent, findSent, keepSent } from './sent.ts'
import {
  byId,
  focusHead,
  forgetHome,
  type Slots,
  say,
  sayHead,
  showHome,
  shownStep,
  showStep,
} from './stage.ts'
import { startTimer } from './timer.ts'
import { fillWalletList, walletName } from './wallet-list.ts'
import { type BrowserWallet, discoverWallets } from './wallets.ts'

const wallets: BrowserWallet[] = []
let isSearchOver = false
let chosen: BrowserWallet | undefined
/** Each try to pay has a number; an older one asks nothing more of its wallet. */
let tryCount = 0
let timer = startTimer(() => {})
let stopFollowing = () => {}

const panel = () => byId('panel')
const receipt = () => panel().dataset.receipt ?? ''
const offer = (): IslandOffer | undefined => {
  const text = panel().dataset.offer
  return text ? (JSON.parse(text) as IslandOffer) : undefined
}

begin()
discoverWallets(
  (wallet) => {
    wallets.push(wallet)
    fillWalletList(wallets, isSearchOver)
    watchSent(wallet)
  },
  () => {
    isSearchOver = true
    fillWalletList(wallets, isSearchOver)
  },
)
document.addEventListener('click', (event) => {
  // The second half of a double click would fall on a button that has just taken the place of the first.
  if (event.detail > 1) return
  const button = (event.target as Element).closest<HTMLElement>('[data-act]')
  if (button) acts[button.dataset.act ?? '']?.(button)
})

const acts: Readonly<Record<string, (button: HTMLElement) => void>> = {
  wallet: (button) => void tryToPay(wallets[Number(button.dataset.index)]),
  retry: () => void tryToPay(chosen),
  switch: () => void switchAndPay(),
  back: () => goBack(),
  forget: () => {
    dropSent(receipt())
    goBack()
  },
  copy: (button) => void copy(button),
  print: () => print(),
}

/** Sets the panel that is in the page to work: after loading, and each time it was swapped. */
function begin(): void {
  const { events, status, kind } = panel().dataset
  forgetHome()
  timer.stop()
  stopFollowing()
  timer = startTimer(() => {
    if (shownStep() !== 'confirm' && shownStep() !== 'sent') void refresh()
  })
  fillWalletList(wallets, isSearchOver)
  stopFollowing =
    events && status ? follow({ events, status }, { status: onStatus, trouble: onTrouble }) : () => {}
  if (kind === 'paid') leaveSoon(receipt())
  const sent = findSent(receipt(), offer()?.received ?? '')
  if (sent) showSent(sent.hash)
}

function onStatus(status: LiveStatus): void {
  if (status.version !== panel().dataset.version) {
    void refresh()
    return
  }
  const seen = Math.min(status.confirmations, status.requiredConfirmations)
  const count = document.querySelector('[data-confirmations]')
  const progress = document.querySelector<HTMLProgressElement>('[data-progress]')
  if (count) count.textContent = String(seen)
  if (progress) progress.value = seen
}

function onTrouble(isTrouble: boolean): void {
  const banner = byId('offline')
  if (banner.hidden === !isTrouble) return
  banner.hidden = !isTrouble
  say(isTrouble ? (banner.textContent ?? '') : '')
}

let isRefreshing = false

/** Takes summary and panel from a newer copy of this page. */
async function refresh(): Promise<void> {
  if (isRefreshing) return
  isRefreshing = true
  try {
    const url = new URL(location.href)
    url.searchParams.set('keep', '')
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    if (response.status === 404) return location.reload()
    if (!response.ok) return onTrouble(true)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    swap(page)
  } catch {
    onTrouble(true)
  } finally {
    isRefreshing = false
  }
}

function swap(page: Document): void {
  const fresh = page.getElementById('panel')
  const summary = page.getElementById('summary')
  if (!fresh || !summary) return
  const old = panel()
  const isSameOffer = fresh.dataset.kind === 'payable' && received(fresh) === received(old)
  if (isSameOffer && shownStep()) {
    // In the middle of a payment that the news does not concern.
    old.dataset.version = fresh.dataset.version
    return
  }
  if (fresh.dataset.kind !== 'payable' || !isSameOffer) dropSent(receipt())
  tryCount++
  const hadFocus = old.contains(document.activeElement)
  byId('summary').replaceWith(document.adoptNode(summary))
  old.replaceWith(document.adoptNode(fresh))
  document.title = page.title
  begin()
  const takesFocus = hadFocus || fresh.dataset.kind === 'paid'
  if (takesFocus) focusHead()
  if (!shownStep()) sayHead(!takesFocus)
}

function received(element: HTMLElement): string | undefined {
  return element.dataset.offer && (JSON.parse(element.dataset.offer) as IslandOffer).received
}

async function tryToPay(wallet: BrowserWallet | undefined): Promise<void> {
  const now = offer()
  if (!wallet || !now) return
  if (timer.leftMs() <= 0) return refresh()
  chosen = wallet
  const own = ++tryCount
  const isWanted = () => own === tryCount
  const show = (step: string, slots: Slots = {}) => {
    if (isWanted()) showStep(step, { wallet: walletName(wallet), ...links(slots), ...slots })
  }
  const ending = await pay({ provider: wallet.provider, offer: now, show, isWanted })
  if (!ending) return
  if (ending.step === 'sent') onSent(ending, wallet, now)
  else show(ending.step, ending.slots)
  if (ending.step === 'wrong-network') goOnWhenSwitched(wallet, isWanted)
}

function onSent(ending: Ending, wallet: BrowserWallet, paid: IslandOffer): void {
  const hash = ending.slots?.hash ?? ''
  keepSent(receipt(), { hash, walletId: wallet.id, received: paid.received })
  // Whatever the panel came to be meanwhile: where it still asks for this money, it must not any more.
  if (findSent(receipt(), offer()?.received ?? '')) {
    showSent(hash)
    watchSent(wallet)
  }
  const { hint } = panel().dataset
  if (!hint) return
  // Only a hint to look sooner: the watcher finds the payment without it.
  fetch(hint, {
    method: 'POST',
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ transactionHash: hash }),
  }).catch(() => {})
}

/** Undone by the network: the server never hears of that, so the wallet is asked. */
function watchSent(wallet: BrowserWallet): void {
  const sent = findSent(receipt(), offer()?.received ?? '')
  if (!sent || sent.walletId !== wallet.id || shownStep() !== 'sent') return
  const own = tryCount
  chosen = wallet
  isMinedWell(wallet.provider, sent.hash, () => own === tryCount).then(
    (isWell) => {
      if (isWell) return
      dropSent(receipt())
      showStep('reverted', { hash: sent.hash, wallet: walletName(wallet), ...links({ hash: sent.hash }) })
    },
    () => {},
  )
}

function showSent(hash: string): void {
  showStep('sent', { hash, ...links({ hash }) })
}

async function switchAndPay(): Promise<void> {
  const now = offer()
  if (!chosen || !now) return
  const wallet = chosen
  const own = tryCount
  const isDone = await switchChain(wallet.provider, now)
  if (own !== tryCount) return
  if (isDone) return tryToPay(wallet)
  showStep('switch-refused', { wallet: walletName(wallet), chainId: String(now.chain.id) })
}

/** Who changes the network in the wallet itself need not press anything here. */
function goOnWhenSwitched(wallet: BrowserWallet, isWanted: () => boolean): void {
  const goOn = () => {
    wallet.provider.removeListener?.('chainChanged', goOn)
    if (isWanted()) void tryToPay(wallet)
  }
  wallet.provider.on?.('chainChanged', goOn)
}

function goBack(): void {
  tryCount++
  showHome()
  fillWalletList(wallets, isSearchOver)
  if (timer.leftMs() <= 0) void refresh()
}

function links({ hash }: Slots): Slots {
  const explorer = offer()?.chain.explorerUrl
  return explorer && hash ? { explorer: `${explorer}/tx/${hash}` } : {}
}

async function copy(button: HTMLElement): Promise<void> {
  const label = button.textContent
  if (button.dataset.busy) return
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? '')
  } catch {
    return
  }
  button.dataset.busy = '1'
  button.textContent = button.dataset.done ?? ''
  say(button.dataset.done ?? '')
  setTimeout(() => {
    button.textContent = label
    delete button.dataset.busy
  }, 2_000)
}
