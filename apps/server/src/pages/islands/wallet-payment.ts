import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { readFault } from '@sluice/browser-wallet/read-fault.ts'
import { pageData, tell } from './stage.ts'
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
/** What the wallet was asked to send: by whom, and how many transactions that account had sent until then. */
type Asked = { readonly payer: string; readonly count: bigint }

let chosen: Chosen | undefined
let asked: Asked | undefined
/** Each try to pay has a number; an older one asks nothing more of its wallet. */
let tryCount = 0
/** How often the wallet was asked for the money of this offer without an answer. */
let openRequests = 0

/**
 * Pays the offer in the page with `wallet`, else with the one chosen before.
 *
 * @param way - What the buyer chose, where there is a choice.
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
    tell: (value) => {
      tell(value)
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
    // Whatever the panel came to be meanwhile: where it still asks for this money, it must not any more.
    if (showSent({ isAskedTwice: openRequests > 1 })) watch(provider)
    return
  }
  if (isWanted()) openRequests = 0
  end(ending, show)
  if (ending.step === 'wrong-network') goOnWhenSwitched(wallet, provider, isWanted)
}

/** Asks the wallet again whose window was lost, unless something has left it since. */
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

/** Asks the chosen wallet to change its network, and goes on. */
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

/** Leaves the wallet alone from now on. What was confirmed in it is still noted when it comes. */
export function letGo(): void {
  tryCount++
}

/** Forgets what was sent: the buyer says that it failed. */
export function pruneSent(): void {
  openRequests = 0
  dropSent(pageData.receipt())
}

/** Where this browser has sent what the panel asks for, shows that instead. */
export function showSent({ isAskedTwice = false } = {}): boolean {
  const sent = findSent(pageData.receipt(), pageData.offer()?.received ?? '')
  if (!sent) return false
  const { hash = '', walletName: wallet } = sent
  showStep('sent', { wallet, hash, ...links({ hash }), twice: isAskedTwice ? wallet : '' })
  return true
}

/** After a reload: the wallet that sent what this browser still waits for is asked what became of it. */
export async function watchAgain(wallet: BrowserWallet): Promise<void> {
  const sent = findSent(pageData.receipt(), pageData.offer()?.received ?? '')
  if (sent?.walletId !== wallet.id || wallet.isElsewhere) return
  const provider = await wallet.open(() => {})
  chosen = { wallet, provider }
  watch(provider)
}

/** The wallet that sent it is not in this browser any more. */
export function watchAlone(): void {
  const own = tryCount
  if (!chosen) showStuckLater(() => own === tryCount)
}

/** From here on nothing else is asked of a wallet. */
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
    const { kind, message } = readFault(error)
    if (kind === 'rejected') show('rejected')
    else if (isWanted()) end({ step: 'walletconnect-failed', slots: { message } }, show)
    return undefined
  }
}

function end(
  { step, slots = {} }: Exclude<Ending, { step: 'sent' }>,
  show: (step: string, slots: Slots) => void,
) {
  if (['wallet-error', 'reverted', 'walletconnect-failed'].includes(step)) tell('error')
  show(step, slots)
}

/** Only a hint to look sooner: the watcher finds the payment without it. */
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

/** Who changes the network in the wallet itself need not press anything here. */
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
