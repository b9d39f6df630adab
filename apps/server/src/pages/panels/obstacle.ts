import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { tokenText } from '../html/money-text.ts'
import { fact, merchantText, panelHead } from '../html/parts.ts'
import type { PageContext } from './page-context.ts'
import type { Panel } from './panel.ts'

/** The panels of a receipt that is unpaid and cannot be paid as it stands. */
export function obstaclePanel(panel: Panel, view: CheckoutView, context: PageContext): SafeHtml | undefined {
  const brand = merchantText(view.brandName)
  switch (panel) {
    case 'expired':
      return html`${panelHead('plain', 'clock', 'This price has expired', 'No payment arrived in time. If you have just sent one, wait a moment: it will appear here automatically.')}
${quoteButton(view, context, 'Get a new price')}`
    case 'short-expired':
      return html`${panelHead('wait', 'alert', 'Part of the payment arrived', 'The price for the rest has expired. Get a new one to complete the payment.')}
<dl class="facts split">
  ${fact('Received', tokenText(view.payment.received, view.payment.decimals, view.payment.token ?? ''))}
  ${fact('Remaining', tokenText(view.payment.missing, view.payment.decimals, view.payment.token ?? ''))}
</dl>
${quoteButton(view, context, 'Get a new price for the rest')}`
    case 'receipt-expired':
      return html`${panelHead('plain', 'clock', 'This payment request has expired', html`It was not paid in time. Ask ${brand} for a new one.`)}
${receiptFacts(view)}`
    case 'no-offer':
      return html`${panelHead('bad', 'alert', 'No price available right now', html`We could not get a reliable exchange rate or reach the network. Your order is fine; try again shortly.`)}
${quoteButton(view, context, 'Try again')}`
    case 'cannot-pay':
      return html`${panelHead('bad', 'alert', 'Payments are not available yet', html`${brand} has not finished setting up payments. Do not send anything; try again later.`)}
${receiptFacts(view)}`
    case 'out-of-limits':
      return html`${panelHead('bad', 'alert', 'This amount cannot be paid here', html`It is below or above the limits for payments here. Do not send anything; ask ${brand} for another way to pay.`)}
${receiptFacts(view)}`
    default:
      return undefined
  }
}

function quoteButton(view: CheckoutView, context: PageContext, label: string): SafeHtml {
  const token = view.attempt?.token ?? view.payment.token ?? view.tokens[0]?.symbol ?? ''
  return html`<p class="actions"><a class="button" href="${context.linkTo(token)}">${label}</a></p>`
}

function receiptFacts(view: CheckoutView): SafeHtml {
  return html`<dl class="facts">${fact('Receipt', html`<span class="mono">${view.receiptId}</span>`)}</dl>`
}
