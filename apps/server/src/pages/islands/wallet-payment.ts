import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { readError } from '@sluice/browser-wallet/read-error.ts'
import { pageData, report } from './stage.ts'
import { showStep } from './steps.ts'
import { pay } from './wallet/pay.ts'
import {
  type BrowserWallet,
  type Ending,
  readHex,
  type Slots,
  tryRead,
  type WayToPay,
} from './wallet/payment.ts'
import { dropSent, findSent, keepSent } from './wallet/sent.ts'
import { switchChain } from './wallet/switch-chain.ts'
import { keepLastWallet, walletName } from './wallet-list.ts'
import { links, showStuckLater, watchSent } from './watch-sent.ts'

type Chosen = { readonly wallet: BrowserWallet; readonly provider: Provider | undefined }
type Asked = { readonly payer: string; readonly count: bigint }

let chosen: Chosen | undefined
let asked: Asked | undefined
/** Number of the current payment attempt. Older attempts make no further wallet requests. */
let tryCount = 0
let openRequests = 0

/**
 * Pays the page's offer with `wallet`, by default the wallet chosen last.
 *
 * @param way - The buyer's chosen payment method, if any.
 */
export async function payWithWallet(
  wallet: BrowserWallet | undefined = chosen?.wallet,
  way?: WayToPay,
): Promise<void> {
  const offer = pageData.offer()
  if (!wallet || !offer) return
  const own = ++tryCount
  const isWanted = () => own === tryCount
  const show = (step: string, slots: Slots = {}) => {
    if (isWanted()) showStep(step, slotsOf(wallet, slots))
  }
  const provider = await open(wallet, show, isWanted)
  if (!provider || !isWanted()) return
  asked = undefined
  const ending = await pay({
    provider,
    offer,
    way,
    show,
    isWanted,
    report: (value) => {
      report(value)
      if (value === 'buyer_logged_in') keepLastWallet(wallet)
    },
    onAsk: (payer, count) => {
      openRequests++
      asked = count === undefined ? undefined : { payer, count }
    },
  })
  if (!ending) return
  if (ending.sent) {
    const sent = { ...ending.sent, walletId: wallet.id, walletName: walletName(wallet) }
    keepSent(pageData.receipt(), { ...sent, received: offer.received, at: Date.now() })
    hint(ending.sent.hash)
    // Also runs if the buyer has left this step: the panel must not request the same payment again.
    if (showSent({ isAskedTwice: openRequests > 1 })) watch(provider)
    return
  }
  if (isWanted()) openRequests = 0
  end(ending, show)
  if (ending.step === 'wrong-network') goOnWhenSwitched(wallet, provider, isWanted)
}

/**
 * Repeats the payment request if its wallet window was lost, unless the payer has sent a transaction since.
 */
export async function reopenWallet(): Promise<void> {
  const { provider, wallet } = chosen ?? {}
  if (!provider || !wallet || !asked) return payWithWallet()
  const { payer, count } = asked
  const own = tryCount
  const isWanted = () => own === tryCount
  const now = await tryRead({ provider, isWanted }, 'eth_getTransactionCount', payer, 'pending').catch(
    () => undefined,
  )
  if (!isWanted()) return
  if (now !== undefined && readHex(now) > count) showStep('maybe-sent', slotsOf(wallet, {}))
  else await payWithWallet()
}

export async function switchAndPay(): Promise<void> {
  const offer = pageData.offer()
  const { provider, wallet } = chosen ?? {}
  if (!provider || !wallet || !offer) return
  const own = ++tryCount
  showStep('switching', slotsOf(wallet, {}))
  const outcome = await switchChain(provider, offer)
  if (own !== tryCount) return
  if (outcome === 'switched') return payWithWallet(wallet)
  showStep(outcome === 'busy' ? 'busy' : 'switch-refused', slotsOf(wallet, {}))
  goOnWhenSwitched(wallet, provider, () => own === tryCount)
}

/** Stops further wallet requests. A confirmation that arrives later is still recorded. */
export function letGo(): void {
  tryCount++
}

export function pruneSent(): void {
  openRequests = 0
  dropSent(pageData.receipt())
}

export function showSent({ isAskedTwice = false } = {}): boolean {
  const sent = findSent(pageData.receipt(), pageData.offer()?.received ?? '')
  if (!sent) return false
  const { hash = '', walletName: wallet } = sent
  showStep('sent', { wallet, hash, ...links({ hash }), twice: isAskedTwice ? wallet : '' })
  return true
}

export async function watchAgain(wallet: BrowserWallet): Promise<void> {
  const sent = findSent(pageData.receipt(), pageData.offer()?.received ?? '')
  if (sent?.walletId !== wallet.id || wallet.isElsewhere) return
  const provider = await wallet.open(() => {})
  chosen = { wallet, provider }
  watch(provider)
}

export function watchAlone(): void {
  const own = tryCount
  if (!chosen) showStuckLater(() => own === tryCount)
}

function watch(provider: Provider): void {
  const own = ++tryCount
  openRequests = 0
  void watchSent(provider, () => own === tryCount)
}

async function open(
  wallet: BrowserWallet,
  show: (step: string, slots?: Slots) => void,
  isWanted: () => boolean,
): Promise<Provider | undefined> {
  chosen = { wallet, provider: undefined }
  try {
    const provider = await wallet.open(show)
    if (isWanted()) chosen = { wallet, provider }
    return provider
  } catch (error) {
    const { kind, message } = readError(error)
    if (kind === 'rejected') show('rejected')
    else if (isWanted()) end({ step: 'walletconnect-failed', slots: { message } }, show)
    return undefined
  }
}

function end(
  { step, slots = {} }: Exclude<Ending, { step: 'sent' }>,
  show: (step: string, slots: Slots) => void,
) {
  if (['wallet-error', 'reverted', 'walletconnect-failed'].includes(step)) report('error')
  show(step, slots)
}

/** Optional: the watcher also finds the payment without the hint. */
function hint(transactionHash: string | undefined): void {
  const { hint: path } = pageData.panel().dataset
  if (!path || !transactionHash) return
  fetch(path, {
    method: 'POST',
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ transactionHash }),
  }).catch(() => {})
}

/** Continues automatically if the buyer switches the network in the wallet. */
function goOnWhenSwitched(wallet: BrowserWallet, provider: Provider, isWanted: () => boolean): void {
  const goOn = () => {
    provider.removeListener?.('chainChanged', goOn)
    if (isWanted()) void payWithWallet(wallet)
  }
  provider.on?.('chainChanged', goOn)
}

function slotsOf(wallet: BrowserWallet, slots: Slots): Slots {
  const app = chosen?.provider?.appUrl
  return { wallet: walletName(wallet), ...links(slots), ...(app ? { app } : {}), ...slots }
}
