import { html, type SafeHtml } from '@remix-run/html-template'
import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { tokenIcon } from '../html/token-icon.ts'
import type { PageContext } from './page-context.ts'

/** The tokens to choose from, each with what is about to be paid in it. Links: they work without scripts. */
export function tokenPicker(view: CheckoutView, attempt: AttemptView, context: PageContext): SafeHtml | null {
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
