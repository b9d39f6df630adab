import { html, type SafeHtml } from '@remix-run/html-template'
import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import { qrSvg } from '../embed/qr-image.ts'
import { fact } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'
import { dim } from './facts.ts'
import type { PageContext } from './page-context.ts'

type Token = CheckoutView['tokens'][number]

/** Paying from anywhere else: the code to scan, and amount, network and address to copy. On a phone the code comes last. */
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
  // What wallets take typed or pasted is digits and a point, in every language.
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

/** Two codes, since not every wallet reads payment links. Radio buttons: they work without scripts. */
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
