import { html, type SafeHtml } from '@remix-run/html-template'
import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { assert } from '../../kernel/assert.ts'
import { appLinks } from '../html/app-links.ts'
import { bareTokenAmount, timeText, tokenText } from '../html/money-text.ts'
import { fact, panelHead } from '../html/parts.ts'
import { qrSvg } from '../html/qr-svg.ts'
import type { PageContext } from './page-context.ts'

/** The offer: token, wallets, code, exact amount, network and address; complete without scripts. */
export function payPanel(view: CheckoutView, context: PageContext): SafeHtml {
  const { attempt } = view
  assert(attempt, 'a checkout that can be paid has an offer')
  const token = view.tokens.find((it) => it.symbol === attempt.token)
  assert(token, 'an offer is in a token that is offered')
  const amount = tokenText(attempt.remaining, token.decimals, token.symbol)
  const bare = bareTokenAmount(attempt.remaining, token.decimals)
  const isRest = view.payment.state === 'short'
  return html`
${isRest ? shortHead(view, amount) : html`<h2 tabindex="-1" class="ask">Pay <strong>${amount}</strong></h2>`}
${tokenPicker(view, attempt, context)}
${held(attempt, context)}
${walletList(context)}
${context.isPhone ? appLinks(attempt.eip681, context.pageUrl) : null}
<div class="scan">
  ${qrTabs(attempt, amount)}
  <dl class="facts">
    ${fact('Send exactly', html`<span><span class="mono">${bare}</span> ${token.symbol}</span> ${copyButton(bare, 'Copy amount')}`)}
    ${fact('Network', html`${view.chain.name} <span class="dim">(chain id ${view.chain.id})</span>`)}
    ${fact('To this address', html`<span class="mono address">${attempt.depositAddress}</span> ${copyButton(attempt.depositAddress, 'Copy address')}`)}
  </dl>
</div>
<p class="note">Send only ${token.symbol} on ${view.chain.name}. The address is for this payment only.</p>
<noscript><p class="note"><a href="${context.pageUrl}">Refresh this page</a> to see whether the payment has arrived.</p></noscript>`
}

function shortHead(view: CheckoutView, rest: string): SafeHtml {
  const { payment } = view
  const symbol = payment.token ?? ''
  return html`${panelHead('wait', 'alert', 'Part of the payment arrived', html`Send the remaining <strong>${rest}</strong> to complete it.`)}
<dl class="facts split">
  ${fact('Received', tokenText(payment.received, payment.decimals, symbol))}
  ${fact('Remaining', tokenText(payment.missing, payment.decimals, symbol))}
</dl>`
}

function tokenPicker(view: CheckoutView, attempt: AttemptView, context: PageContext): SafeHtml | null {
  if (view.tokens.length < 2) return null
  const links = view.tokens.map((token) =>
    token.symbol === attempt.token
      ? html`<li><a href="${context.linkTo(token.symbol)}" aria-current="true">${token.symbol}</a></li>`
      : html`<li><a href="${context.linkTo(token.symbol)}" title="${token.name}">${token.symbol}</a></li>`,
  )
  return html`<nav aria-label="Pay with" class="tokens"><ul>${links}</ul></nav>`
}

function held(attempt: AttemptView, context: PageContext): SafeHtml {
  const leftMs = Math.max(0, attempt.expiresAt - context.now)
  return html`<p class="held"><span>Price held until <time datetime="${new Date(attempt.expiresAt).toISOString()}">${timeText(attempt.expiresAt)}</time></span> <span class="left" role="timer" data-left-ms="${leftMs}" data-at5="Five minutes left at this price." data-at1="One minute left at this price."></span></p>`
}

/** Filled by the script; without scripts it takes no room, with them it has its room from the start. */
function walletList(context: PageContext): SafeHtml {
  const otherWay = context.isPhone
    ? 'Open this payment in a wallet app'
    : 'Scan the code with a wallet on your phone'
  return html`<section class="wallets scripted" aria-label="Wallets in this browser">
<ul data-wallets><li class="looking">Looking for a wallet in this browser…</li></ul>
<div data-no-wallet hidden><h3>No wallet found in this browser</h3><p>${otherWay}, or send the exact amount to the address. <a href="https://ethereum.org/wallets/find-wallet/" target="_blank" rel="noopener noreferrer">Get a wallet</a></p></div>
</section>`
}

/** Two codes, since not every wallet reads payment links. Radio buttons: they work without scripts. */
function qrTabs(attempt: AttemptView, amount: string): SafeHtml {
  return html`<fieldset class="codes"><legend class="hidden">Content of the QR code</legend>
<div class="tabs"><label><input type="radio" name="code" value="link" checked><span>Payment link</span></label><label><input type="radio" name="code" value="address"><span>Address only</span></label></div>
<div class="code link">${qrSvg(attempt.eip681, `QR code: payment link for ${amount}`)}</div>
<div class="code address">${qrSvg(attempt.depositAddress, 'QR code: the address only')}<p class="note">Type the amount yourself.</p></div>
</fieldset>`
}

function copyButton(value: string, label: string): SafeHtml {
  return html`<button type="button" class="copy scripted" data-act="copy" data-copy="${value}" data-done="Copied">${label}</button>`
}
