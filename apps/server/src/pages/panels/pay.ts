import { html, type SafeHtml } from '@remix-run/html-template'
import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { assert } from '../../kernel/assert.ts'
import { appLinks } from '../html/app-links.ts'
import { panelHead } from '../html/parts.ts'
import { shortFacts } from './facts.ts'
import type { PageContext } from './page-context.ts'
import { sendIt } from './send-it.ts'
import { tokenPicker } from './token-picker.ts'
import { cardWay } from './ways-to-pay.ts'

/** The offer: token, wallets, code, exact amount, network and address; complete without scripts. */
export function payPanel(view: CheckoutView, context: PageContext): SafeHtml {
  const { attempt } = view
  assert(attempt, 'a checkout that can be paid has an offer')
  const token = view.tokens.find((it) => it.symbol === attempt.token)
  assert(token, 'an offer is in a token that is offered')
  const { t } = context
  const amount = t.token(attempt.remaining, token.decimals, token.symbol)
  const isRest = view.payment.state === 'short'
  return html`
${isRest ? shortHead(view, amount, context) : html`<h2 tabindex="-1" class="ask">${t.html('checkout.pay.title', { amount })}</h2>`}
${signedNote(view, attempt, context)}
${tokenPicker(view, attempt, context)}
${held(attempt, context)}
${feeNote(view, attempt, context)}
${context.isPhone ? phoneWallets(attempt, context) : browserWallets(context)}
${cardWay(view, context)}
${sendIt(view, attempt, token, context)}
<noscript><p class="note">${t.html('checkout.pay.refresh', { refresh: (parts) => html`<a href="${context.pageUrl}">${[...parts]}</a>` })}</p></noscript>`
}

/** Whether a wallet pays without a network fee. */
function feeNote(
  { signableTokens, permit2Tokens }: CheckoutView,
  { token }: AttemptView,
  { t }: PageContext,
): SafeHtml | null {
  const key = signableTokens.includes(token)
    ? 'checkout.pay.no-fee'
    : permit2Tokens.includes(token)
      ? 'checkout.pay.no-fee-approved'
      : undefined
  return key ? html`<p class="note scripted">${t.text(key)}</p>` : null
}

/** What became of the signature that this offer was to be paid by. */
function signedNote(
  { signedPayment }: CheckoutView,
  attempt: AttemptView,
  { t }: PageContext,
): SafeHtml | null {
  if (signedPayment?.state !== 'failed' || signedPayment.attemptId !== attempt.attemptId) return null
  return html`<p class="banner">${t.text('checkout.signed-failed')}</p>`
}

function shortHead(view: CheckoutView, amount: string, { t }: PageContext): SafeHtml {
  return html`${panelHead('wait', 'alert', t.text('checkout.short.title'), t.html('checkout.short.text', { amount }))}
${shortFacts(view, t)}`
}

function held(attempt: AttemptView, { t, now }: PageContext): SafeHtml {
  const leftMs = Math.max(0, attempt.expiresAt - now)
  const until = t.html('checkout.pay.held', { time: t.hour(attempt.expiresAt) })
  return html`<p class="held"><span>${until}</span> <span class="left" role="timer" data-left-ms="${leftMs}" data-at5="${t.text('checkout.pay.five-minutes')}" data-at1="${t.text('checkout.pay.one-minute')}"></span></p>`
}

/** Filled by the script; without scripts it takes no room, with them it has its room from the start. */
function browserWallets({ t }: PageContext): SafeHtml {
  const get = (parts: readonly (string | SafeHtml)[]) =>
    html`<a href="https://ethereum.org/wallets/find-wallet/" target="_blank" rel="noopener noreferrer">${[...parts]}</a>`
  return html`<section class="wallets scripted" aria-label="${t.text('checkout.wallets.region')}">
<ul data-wallets><li class="looking">${t.text('checkout.wallets.looking')}</li></ul>
<div data-no-wallet hidden><h3>${t.text('checkout.wallets.none')}</h3> <p>${t.html('checkout.wallets.none-text', { get })}</p></div>
</section>`
}

/**
 * On a phone the main button hands the payment to a wallet app, unless this browser itself has a wallet: then that
 * one does. It stays where it was when the way to other wallets comes below it, which has its room from the start.
 */
function phoneWallets(attempt: AttemptView, { t, pageUrl, walletConnectProject }: PageContext): SafeHtml {
  const open = html`<a class="button" href="${attempt.eip681}">${t.text('checkout.apps.open')}</a>`
  return html`<section class="wallets${walletConnectProject === undefined ? null : ' roomy'}" aria-label="${t.text('checkout.wallets.region')}">
<div data-no-wallet hidden>${open}</div>
<ul data-wallets><li class="looking">${open}</li></ul>
</section>
${appLinks(t, pageUrl)}`
}
