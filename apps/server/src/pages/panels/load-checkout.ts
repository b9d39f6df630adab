import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { canPayAgain, isQuotable, judgePanel, type Panel } from './panel.ts'

/** Reads a receipt as its buyer may see it. @throws {Refusal} `not_found` */
export type FindCheckout = (request: CheckoutAddress) => Promise<CheckoutView>

/** Opens an attempt in a token, or gives the open one again. */
export type OpenAttempt = (request: CheckoutAddress, token: string) => Promise<AttemptView>

/** Which checkout is asked for. `recipient` is never authority: it only chooses between receipts of one id. */
export type CheckoutAddress = {
  readonly id: string
  readonly recipient: string | undefined
  /** The request's `Host`: a receipt is shown at its own brand's addresses only. */
  readonly host: string | undefined
}

/** Which checkout is asked for, and how. */
export type CheckoutRequest = CheckoutAddress & {
  /** The token the buyer chose; absent: the one already offered, else the first. */
  readonly token: string | undefined
  /** Show what is there: an open page refreshes itself, and must not get a new price unasked. */
  readonly keepsQuote: boolean
  /** The buyer comes back from the page of the card provider. */
  readonly isFromProvider?: boolean
}

/** A checkout as one page shows it: the view carries the offer that is shown. */
export type Checkout = {
  readonly view: CheckoutView
  readonly panel: Panel
  readonly now: UnixMs
}

/**
 * The checkout with an offer where one can be made, so that the page can be paid without scripts.
 *
 * Where no offer can be made (no rate, chain out of reach) the panel says so; the receipt is still shown.
 *
 * @throws {Refusal} `not_found`
 * @throws {DatastoreAway}
 */
export async function loadCheckout(
  needs: { findCheckout: FindCheckout; openAttempt: OpenAttempt; clock: Clock },
  request: CheckoutRequest,
): Promise<Checkout> {
  const view = offeredOnly(await needs.findCheckout(request))
  const now = needs.clock.now()
  const panel = judgeKept(view, now, request)
  const token = tokenToOpen(view, panel, request)
  if (!token) return { view, panel, now }

  let attempt: AttemptView
  try {
    attempt = await needs.openAttempt(request, token)
  } catch (error) {
    if (!hasPanel(error)) throw error
    // The receipt may have moved meanwhile: show what it is now.
    const after = offeredOnly(await needs.findCheckout(request))
    const code = error instanceof Refusal ? error.code : undefined
    if (code === 'split_required' && isQuotable(panel)) return { view: after, panel: 'cannot-pay', now }
    const judged = judgeAsked(after, now, request)
    if (code === 'invalid_amount' && isQuotable(judged)) return { view: after, panel: 'out-of-limits', now }
    return { view: after, panel: judged, now }
  }
  const withOffer = { ...view, attempt }
  const offered = view.payment.state === 'expired' ? afterExpiry(withOffer) : withOffer
  return { view: offered, panel: judgeAsked(offered, now, request), now }
}

/** Whether the receipt can be shown although no offer was made. */
function hasPanel(error: unknown): boolean {
  if (error instanceof Outage) return error.dependency !== 'datastore'
  return error instanceof Refusal && error.code !== 'not_found'
}

/** An open page whose quote just ran out says so, before the watcher has made sure that nothing came in time. */
function judgeKept(view: CheckoutView, now: UnixMs, request: CheckoutRequest): Panel {
  const panel = judgeAsked(view, now, request)
  const hadOffer = view.payment.state !== 'none'
  return panel === 'no-offer' && request.keepsQuote && hadOffer ? 'expired' : panel
}

/** After a failure, who chose a token wants to pay another way. */
function judgeAsked(view: CheckoutView, now: UnixMs, request: CheckoutRequest): Panel {
  const panel = judgePanel(view, now)
  if (isAwaited(view, panel, request)) return 'provider'
  const isPaidAnew = panel === 'failed' && request.token !== undefined && canPayAgain(view)
  return isPaidAnew ? judgePanel({ ...view, status: 'pending' }, now) : panel
}

/** Who has just paid by card is not asked to pay again, while the provider has not said what came of it. */
function isAwaited(view: CheckoutView, panel: Panel, request: CheckoutRequest): boolean {
  const isOpen = isQuotable(panel) || panel === 'failed'
  return request.isFromProvider === true && isOpen && view.onramp?.session === 'open'
}

/** The token to open an attempt in, or `undefined` where what is there is to be shown. */
function tokenToOpen(view: CheckoutView, panel: Panel, request: CheckoutRequest): string | undefined {
  if (!isQuotable(panel)) return undefined
  const offered = (symbol: string | null | undefined) =>
    view.tokens.find((token) => token.symbol === symbol)?.symbol
  const wanted = offered(request.token)
  const usual = wanted ?? offered(view.payment.token) ?? view.tokens[0]?.symbol
  if (panel === 'no-offer') return usual
  // No money is on its way: whoever opens the page wants to pay, at the price of now.
  if (panel === 'expired') return request.keepsQuote ? undefined : usual
  if (panel === 'pay' || panel === 'short') return wanted === view.attempt?.token ? undefined : wanted
  return request.keepsQuote ? undefined : wanted
}

/** An offer in a token that is no longer taken is none: what comes by it is still credited, but nobody is asked for it. */
function offeredOnly(view: CheckoutView): CheckoutView {
  const isOffered = view.tokens.some((token) => token.symbol === view.attempt?.token)
  return isOffered ? view : { ...view, attempt: null }
}

/** The payment state of the moment before the new attempt no longer applies. */
function afterExpiry(view: CheckoutView): CheckoutView {
  return { ...view, payment: { ...view.payment, state: 'awaiting' } }
}
