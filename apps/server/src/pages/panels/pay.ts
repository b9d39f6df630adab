import { html, type SafeHtml } from '@remix-run/html-template'
import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import { assert } from '../../kernel/assert.ts'
import { qrSvg } from '../embed/qr-image.ts'
import { fact, panelHead } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'
import { dim, shortFacts } from './facts.ts'
import type { PageContext } from './page-context.ts'
import { cardWay } from './ways-to-pay.ts'

export function payPanel(view: CheckoutView, context: PageContext): SafeHtml {
  const { attempt } = view
  assert(attempt, 'a checkout that can be paid has an offer')
  const token = view.tokens.find((it) => it.symbol === attempt.token)
  assert(token, 'the token of an offer is available')
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

/** Filled by the script. With scripts enabled, its space is reserved from the start. */
function browserWallets({ t }: PageContext): SafeHtml {
  const get = (parts: readonly (string | SafeHtml)[]) =>
    html`<a href="https://ethereum.org/wallets/find-wallet/" target="_blank" rel="noopener noreferrer">${[...parts]}</a>`
  return html`<section class="wallets scripted" aria-label="${t.text('checkout.wallets.region')}">
<ul data-wallets><li class="looking">${t.text('checkout.wallets.looking')}</li></ul>
<div data-no-wallet hidden><h3>${t.text('checkout.wallets.none')}</h3> <p>${t.html('checkout.wallets.none-text', { get })}</p></div>
</section>`
}

/**
 * On phones the main button opens a wallet app, unless this browser has a wallet.
 *
 * The space of the WalletConnect button below is reserved, so that the main button does not move.
 */
function phoneWallets(attempt: AttemptView, { t, pageUrl, walletConnectProject }: PageContext): SafeHtml {
  const open = html`<a class="button" href="${attempt.eip681}">${t.text('checkout.apps.open')}</a>`
  return html`<section class="wallets${walletConnectProject === undefined ? null : ' roomy'}" aria-label="${t.text('checkout.wallets.region')}">
<div data-no-wallet hidden>${open}</div>
<ul data-wallets><li class="looking">${open}</li></ul>
</section>
${appLinks(t, pageUrl)}`
}

function tokenPicker(view: CheckoutView, attempt: AttemptView, context: PageContext): SafeHtml | null {
  if (view.tokens.length < 2) return null
  const { t } = context
  const links = view.tokens.map(({ symbol, name, decimals, estimate }) => {
    const isChosen = symbol === attempt.token
    const units = isChosen ? attempt.remaining : estimate
    const amount =
      units === null ? null : html` <span class="about">${t.tokenUnits(units, decimals, symbol)}</span>`
    return html`<li><a href="${context.linkTo(symbol)}" title="${name}"${isChosen ? html` aria-current="true"` : null}>${tokenIcon(symbol)}<span>${symbol}</span>${amount}</a></li>`
  })
  return html`<nav aria-label="${t.text('checkout.pay.tokens')}" class="tokens"><ul>${links}</ul></nav>`
}

const drawings: Readonly<Record<string, { readonly colour: string; readonly path: string }>> = {
  USDC: {
    colour: '#2563c9',
    path: 'M12 5.5v13M15.5 9c-.6-1-1.9-1.6-3.5-1.6-2 0-3.4.9-3.4 2.3 0 3.3 7 1.3 7 4.6 0 1.4-1.5 2.3-3.6 2.3-1.7 0-3-.6-3.6-1.7',
  },
  USDT: { colour: '#11806a', path: 'M7 7.5h10M12 7.5v10M7 11.2c0 2.2 10 2.2 10 0' },
  ETH: { colour: '#4a5599', path: 'M12 4.5l4.7 7.6L12 14.9l-4.7-2.8zM7.6 14.6L12 19.5l4.4-4.9' },
  cbBTC: {
    colour: '#b45309',
    path: 'M9 6.5v11M9 6.5h4.2a2.7 2.7 0 0 1 0 5.4H9M9 11.9h4.8a2.8 2.8 0 0 1 0 5.6H9M11 4.5v2M11 17.5v2',
  },
  cbXRP: { colour: '#33414d', path: 'M6.5 6.5l3 3a3.5 3.5 0 0 0 5 0l3-3M6.5 17.5l3-3a3.5 3.5 0 0 1 5 0l3 3' },
}

function tokenIcon(symbol: string): SafeHtml {
  const drawing = drawings[symbol]
  const sign = drawing
    ? html`<path d="${drawing.path}"/>`
    : html`<text x="12" y="16.5" text-anchor="middle" font-size="12">${symbol.slice(0, 1)}</text>`
  return html`<svg class="token" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="12" fill="${drawing?.colour ?? '#52636d'}"/>${sign}</svg>`
}

function appLinks(t: Translator, pageUrl: string): SafeHtml {
  const bare = pageUrl.replace(/^https?:\/\//, '')
  const encoded = encodeURIComponent(pageUrl)
  return html`<section class="apps"><h3>${t.text('checkout.apps.or-in')}</h3>
<ul><li><a class="app" href="https://metamask.app.link/dapp/${bare}" rel="noopener noreferrer">MetaMask</a></li><li><a class="app" href="https://go.cb-w.com/dapp?cb_url=${encoded}" rel="noopener noreferrer">Coinbase Wallet</a></li><li><a class="app" href="https://link.trustwallet.com/open_url?coin_id=60&url=${encoded}" rel="noopener noreferrer">Trust Wallet</a></li></ul>
</section>`
}

type Token = CheckoutView['tokens'][number]

export function sendIt(
  view: CheckoutView,
  attempt: AttemptView,
  token: Token,
  context: PageContext,
): SafeHtml {
  const { t, isPhone } = context
  const parts = [codes(attempt, token, t), copyRows(view, attempt, token, t)]
  return html`<section class="send"><h3>${t.text('checkout.send.title')}</h3>
${isPhone ? parts.reverse() : parts}
</section>`
}

function copyRows(view: CheckoutView, attempt: AttemptView, token: Token, t: Translator): SafeHtml {
  const { symbol, decimals } = token
  const amount = t.token(attempt.remaining, decimals, symbol)
  // Wallets accept pasted amounts only as digits and a point, in every language.
  const bare = formatUnits(BigInt(attempt.remaining), decimals)
  const network = t.html('checkout.send.network-value', {
    network: view.chain.name,
    id: `${view.chain.id}`,
    dim,
  })
  const address = html`<span class="mono address" dir="ltr">${attempt.depositAddress}</span>`
  return html`<div class="rows"><dl class="facts">
  ${fact(t.text('checkout.send.amount'), html`<span class="value">${amount}</span>${copyButton(bare, t.text('checkout.send.copy-amount'), t)}`)}
  ${fact(t.text('checkout.send.network'), network)}
  ${fact(t.text('checkout.send.address'), html`${address}${copyButton(attempt.depositAddress, t.text('checkout.send.copy-address'), t)}`)}
</dl>
<p class="note">${t.text('checkout.send.note', { token: symbol, network: view.chain.name })}</p></div>`
}

function copyButton(value: string, label: string, t: Translator): SafeHtml {
  return html`<button type="button" class="copy scripted" data-act="copy" data-copy="${value}" data-done="${t.text('checkout.send.copied')}">${label}</button>`
}

/**
 * Renders two QR codes, because not every wallet reads payment links. The radio buttons work without scripts.
 */
function codes(attempt: AttemptView, token: Token, t: Translator): SafeHtml {
  const amount = t.token(attempt.remaining, token.decimals, token.symbol)
  return html`<details class="fold scan"><summary>${t.text('checkout.code.other-device')}</summary>
<fieldset class="codes"><legend class="hidden">${t.text('checkout.code.region')}</legend>
<p class="scanhint">${t.text('checkout.code.scan')}</p>
<div class="tabs"><label><input type="radio" name="code" value="link" checked><span>${t.text('checkout.code.link')}</span></label><label><input type="radio" name="code" value="address"><span>${t.text('checkout.code.address')}</span></label></div>
<div class="code link">${qrSvg(attempt.eip681, t.text('checkout.code.link-label', { amount }))}<p class="note">${t.text('checkout.code.link-note')}</p></div>
<div class="code address">${qrSvg(attempt.depositAddress, t.text('checkout.code.address-label'))}<p class="note">${t.text('checkout.code.address-note')}</p></div>
</fieldset></details>`
}
