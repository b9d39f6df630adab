import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import { canPayAgain, evaluatePanel, isQuotable, type Panel } from './panel.ts'

export type FindCheckout = (request: CheckoutAddress) => Promise<CheckoutView>

export type OpenAttempt = (request: CheckoutAddress, token: string) => Promise<AttemptView>

/** Identifies a checkout. `recipient` grants no rights: it only selects among receipts with the same id. */
export type CheckoutAddress = {
  readonly id: string
  readonly recipient: string | undefined
  /** `Host` header: a receipt is shown only on its brand's hosts. */
  readonly host: string | undefined
}

export type CheckoutRequest = CheckoutAddress & {
  readonly token: string | undefined
  /** Prevents a new quote when an open page refreshes automatically. */
  readonly keepsQuote: boolean
  readonly isFromProvider?: boolean
}

export type Checkout = {
  readonly view: CheckoutView
  readonly panel: Panel
  readonly now: UnixMs
}

/**
 * Loads the checkout and opens an offer if possible, so that the page works without scripts.
 *
 * If no offer is possible (no rate, chain unavailable), the panel shows the reason.
 *
 * @throws {ApiError} `not_found`
 * @throws {DatastoreAway}
 */
export async function loadCheckout(
  needs: { findCheckout: FindCheckout; openAttempt: OpenAttempt; clock: Clock },
  request: CheckoutRequest,
): Promise<Checkout> {
  const view = offeredOnly(await needs.findCheckout(request))
  const now = needs.clock.now()
  const panel = evaluateKept(view, now, request)
  const token = tokenToOpen(view, panel, request)
  if (!token) return { view, panel, now }

  let attempt: AttemptView
  try {
    attempt = await needs.openAttempt(request, token)
  } catch (error) {
    if (!hasPanel(error)) throw error
    const after = offeredOnly(await needs.findCheckout(request))
    const code = error instanceof ApiError ? error.code : undefined
    if (code === 'split_required' && isQuotable(panel)) return { view: after, panel: 'cannot-pay', now }
    const evaluated = evaluateAsked(after, now, request)
    if (code === 'invalid_amount' && isQuotable(evaluated))
      return { view: after, panel: 'out-of-limits', now }
    return { view: after, panel: evaluated, now }
  }
  const withOffer = { ...view, attempt }
  const offered = view.payment.state === 'expired' ? afterExpiry(withOffer) : withOffer
  return { view: offered, panel: evaluateAsked(offered, now, request), now }
}

function hasPanel(error: unknown): boolean {
  if (error instanceof Outage) return error.dependency !== 'datastore'
  return error instanceof ApiError && error.code !== 'not_found'
}

/** Shows an expired quote on an open page before the watcher confirms that no payment arrived in time. */
function evaluateKept(view: CheckoutView, now: UnixMs, request: CheckoutRequest): Panel {
  const panel = evaluateAsked(view, now, request)
  const hadOffer = view.payment.state !== 'none'
  return panel === 'no-offer' && request.keepsQuote && hadOffer ? 'expired' : panel
}

/** After a failure, choosing a token starts a new payment in that token. */
function evaluateAsked(view: CheckoutView, now: UnixMs, request: CheckoutRequest): Panel {
  const panel = evaluatePanel(view, now)
  if (isAwaited(view, panel, request)) return 'provider'
  const isPaidAnew = panel === 'failed' && request.token !== undefined && canPayAgain(view)
  return isPaidAnew ? evaluatePanel({ ...view, status: 'pending' }, now) : panel
}

/** After a card payment, the page does not ask for money until the provider reports the outcome. */
function isAwaited(view: CheckoutView, panel: Panel, request: CheckoutRequest): boolean {
  const isOpen = isQuotable(panel) || panel === 'failed'
  return request.isFromProvider === true && isOpen && view.onramp?.session === 'open'
}

/** Returns the token in which to open an attempt, or `undefined` to show the existing state. */
function tokenToOpen(view: CheckoutView, panel: Panel, request: CheckoutRequest): string | undefined {
  if (!isQuotable(panel)) return undefined
  const offered = (symbol: string | null | undefined) =>
    view.tokens.find((token) => token.symbol === symbol)?.symbol
  const wanted = offered(request.token)
  const usual = wanted ?? offered(view.payment.token) ?? view.tokens[0]?.symbol
  if (panel === 'no-offer') return usual
  // No money is in transit, so opening the page requests the current price.
  if (panel === 'expired') return request.keepsQuote ? undefined : usual
  if (panel === 'pay' || panel === 'short') return wanted === view.attempt?.token ? undefined : wanted
  return request.keepsQuote ? undefined : wanted
}

/** Drops an offer in a token that is currently not accepted. Payments to the offer are still credited. */
function offeredOnly(view: CheckoutView): CheckoutView {
  const isOffered = view.tokens.some((token) => token.symbol === view.attempt?.token)
  return isOffered ? view : { ...view, attempt: null }
}

function afterExpiry(view: CheckoutView): CheckoutView {
  return { ...view, payment: { ...view.payment, state: 'awaiting' } }
}
