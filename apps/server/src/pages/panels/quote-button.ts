import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { PageContext } from './page-context.ts'

/** Asks for a new offer, in the token that was offered last. */
export function quoteButton(
  label: string,
  view: CheckoutView,
  context: PageContext,
  look: 'button' | 'quiet' = 'button',
): SafeHtml {
  const token = view.attempt?.token ?? view.payment.token ?? view.tokens[0]?.symbol ?? ''
  return html`<p class="actions"><a class="${look}" href="${context.linkTo(token)}">${label}</a></p>`
}
