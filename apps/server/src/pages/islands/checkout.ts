import { discoverWallets } from '@sluice/browser-wallet/discover-wallets.ts'
import type { LiveStatus } from '../live/island-data.ts'
import { copy } from './copy.ts'
import { leaveSoon, runOnSuccess } from './leave.ts'
import { localiseTimes, parsePage } from './page/document.ts'
import { follow } from './page/follow.ts'
import {
  byId,
  dropHome,
  focusHead,
  pageData,
  readOffer,
  report,
  say,
  sayHead,
  showHome,
  shownStep,
} from './stage.ts'
import { startTimer } from './timer.ts'
import { dropSent } from './wallet/sent.ts'
import { addWallet, endWalletSearch, fillWalletList, walletAt, walletElsewhere } from './wallet-list.ts'
import {
  letGo,
  payWithWallet,
  pruneSent,
  reopenWallet,
  showSent,
  switchAndPay,
  watchAgain,
  watchAlone,
} from './wallet-payment.ts'

let isRefreshing = false
let timer = startTimer(() => {})
let stopFollowing = () => {}

const { panel, receipt } = pageData
/** Steps during which money may be in transit: an expiring price does not interrupt them. */
const stepsUnderWay: ReadonlySet<string | undefined> = new Set([
  'signature',
  'signature-permit',
  'signature-sending',
  'relaying',
  'permit',
  'approve',
  'approving',
  'confirm',
  'maybe-sent',
  'sent',
  'replaced',
  'stuck',
])

begin()
report('link_opened')
if (new URL(location.href).searchParams.has('onramp')) report('onramp_returned')
discoverWallets(
  (wallet) => {
    addWallet(wallet)
    void watchAgain(wallet)
  },
  () => {
    endWalletSearch(walletElsewhere())
    watchAlone()
  },
)
document.addEventListener('click', (event) => {
  // The second click of a double-click would hit the button that replaced the first one.
  if (event.detail > 1) return
  const button = (event.target as Element).closest<HTMLElement>('[data-act]')
  if (button) acts[button.dataset.act ?? '']?.(button)
})

document.addEventListener('submit', (event) => {
  if (!(event.target as Element).matches('[data-card]')) return
  report('checkout_initialized')
  report('onramp_session_opened')
})

const acts: Readonly<Record<string, (button: HTMLElement) => void>> = {
  wallet: (button) => unlessOver(() => payWithWallet(walletAt(Number(button.dataset.index)))),
  retry: () => unlessOver(() => payWithWallet()),
  sign: () => unlessOver(() => payWithWallet(undefined, 'sign')),
  'own-fee': () => unlessOver(() => payWithWallet(undefined, 'own-fee')),
  reopen: () => unlessOver(reopenWallet),
  switch: () => void switchAndPay(),
  back: () => goBack(),
  forget: () => {
    pruneSent()
    goBack()
  },
  copy: (button) => void copy(button),
}

function begin(): void {
  const { status, kind } = panel().dataset
  dropHome()
  localiseTimes()
  timer.stop()
  stopFollowing()
  timer = startTimer(() => {
    if (!stepsUnderWay.has(shownStep())) void refresh()
  })
  fillWalletList()
  stopFollowing = status ? follow(status, { status: onStatus, trouble: onError }) : () => {}
  if (kind === 'paid') {
    leaveSoon(receipt())
    runOnSuccess(panel(), receipt())
  }
  showSent()
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

function onError(isPageError: boolean): void {
  const banner = byId('offline')
  if (banner.hidden === !isPageError) return
  banner.hidden = !isPageError
  say(isPageError ? (banner.textContent ?? '') : '')
}

async function refresh(): Promise<void> {
  if (isRefreshing) return
  isRefreshing = true
  try {
    const url = new URL(location.href)
    url.searchParams.set('keep', '')
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    if (response.status === 404) return location.reload()
    if (!response.ok) return onError(true)
    const page = parsePage(await response.text())
    swap(page)
  } catch {
    onError(true)
  } finally {
    isRefreshing = false
  }
}

function swap(page: Document): void {
  const fresh = page.getElementById('panel')
  const summary = page.getElementById('summary')
  if (!fresh || !summary) return
  const old = panel()
  const isSameOffer =
    fresh.dataset.kind === 'payable' && readOffer(fresh)?.received === readOffer(old)?.received
  // An offer during `relaying` means that the submitted payment failed: the new panel reports the failure.
  if (isSameOffer && shownStep() && shownStep() !== 'relaying') {
    // A payment is in progress and this change does not affect it.
    old.dataset.version = fresh.dataset.version
    return
  }
  if (fresh.dataset.kind !== 'payable' || !isSameOffer) dropSent(receipt())
  letGo()
  const hadFocus = old.contains(document.activeElement)
  byId('summary').replaceWith(document.adoptNode(summary))
  old.replaceWith(document.adoptNode(fresh))
  document.title = page.title
  begin()
  const hadNotice = old.querySelector('.claimable')
  const notice = fresh.querySelector('.claimable p')
  const takesFocus = hadFocus || fresh.dataset.kind === 'paid'
  if (takesFocus) focusHead()
  if (notice && !hadNotice) say(notice.textContent ?? '')
  else if (!shownStep()) sayHead(!takesFocus)
}

function goBack(): void {
  letGo()
  showHome()
  fillWalletList()
  if (timer.leftMs() <= 0) void refresh()
}

function unlessOver(act: () => Promise<void>): void {
  if (timer.leftMs() <= 0) void refresh()
  else void act()
}
