import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { tokenText } from '../html/money-text.ts'
import { fact, merchantText, panelHead } from '../html/parts.ts'
import type { PageContext } from './page-context.ts'
import type { Panel } from './panel.ts'
import { transactionFact } from './transaction-fact.ts'

/** The panels of a payment that is under way or over. None of them offers to pay again. */
export function outcomePanel(panel: Panel, view: CheckoutView, context: PageContext): SafeHtml | undefined {
  const brand = merchantText(view.brandName)
  switch (panel) {
    case 'pending':
      return pendingPanel(view)
    case 'paid':
      return paidPanel(view, context, html`${brand} has your payment.`)
    case 'paid-late':
      return paidPanel(
        view,
        context,
        html`Your payment arrived after its price had expired and was accepted. ${brand} has it.`,
      )
    case 'overpaid':
      return paidPanel(
        view,
        context,
        html`${brand} has your payment. You sent <strong>${tokenText(view.payment.excess, view.payment.decimals, view.payment.token ?? '')}</strong> more than was asked: ask ${brand} to return the difference.`,
      )
    case 'bank-pending':
      return html`${panelHead('wait', 'clock', 'Bank payment accepted', html`Your bank is still transferring the money. This can take a few days; there is nothing more for you to do.`)}${paymentFacts(view)}`
    case 'orphaned':
      return html`${panelHead('bad', 'alert', "The network reversed this payment's block", html`Your payment was in a block that the network has replaced. It is usually included again automatically. Do not pay again; ${brand} has been notified.`)}${paymentFacts(view)}`
    case 'failed':
      return failedPanel(view)
    case 'refund-requested':
      return html`${panelHead('wait', 'back', 'Refund requested', html`The payment was complete, and ${brand} is processing the refund.`)}${paymentFacts(view)}`
    case 'refunded':
      return html`${panelHead('plain', 'back', 'Payment refunded', html`${brand} has returned the money. There is nothing to pay.`)}${paymentFacts(view)}`
    case 'expired-funds':
      return html`${panelHead('bad', 'alert', 'Your payment arrived too late', html`We received it, but not in time. Do not pay again: contact ${brand} with the receipt number below, and they will credit or return it.`)}${paymentFacts(view)}`
    default:
      return undefined
  }
}

function pendingPanel(view: CheckoutView): SafeHtml {
  const { confirmations, requiredConfirmations: required } = view.payment
  const seen = Math.min(confirmations, required)
  return html`${panelHead('wait', 'clock', 'Payment detected, waiting for the network', html`Nothing more to do. You can close this page: ${merchantText(view.brandName)} will be notified when the payment is final.`)}
${
  required > 0
    ? html`<p class="progress"><progress aria-label="Confirmations" data-progress max="${required}" value="${seen}"></progress><span><span data-confirmations>${seen}</span> of ${required} confirmations</span></p>`
    : html`<p class="progress"><progress aria-label="Waiting for the network"></progress>The network is finalizing it</p>`
}${paymentFacts(view)}
<noscript><p class="note"><a href="">Refresh this page</a> to see the progress.</p></noscript>`
}

function paidPanel(view: CheckoutView, context: PageContext, text: SafeHtml): SafeHtml {
  const url = returnUrl(view, context)
  return html`${panelHead('good', 'check', 'Payment complete', text)}
${
  url
    ? html`<div class="return"><a class="button" data-return href="${url}"><span>Return to ${merchantText(view.brandName)}</span></a>
<p class="leaving" data-countdown data-say="You are taken back in five seconds." hidden><span>Taking you back in <span data-seconds>5</span> s</span> <button type="button" class="quiet" data-act="stay">Cancel</button></p></div>`
    : null
}${paymentFacts(view)}
<p class="scripted actions"><button type="button" class="quiet" data-act="print">Print this receipt</button></p>`
}

function failedPanel(view: CheckoutView): SafeHtml {
  const failure = view.failure
  return html`${panelHead('bad', 'cross', 'The payment failed', failure?.failureReason ?? 'It could not be completed. The reason is unknown.')}
<dl class="facts">
  ${failure?.failureAction ? fact('What to do', failure.failureAction) : null}
  ${failure?.providerRequestId ? fact('Reference', html`<span class="mono">${failure.providerRequestId}</span>`) : null}
  ${fact('Receipt', html`<span class="mono">${view.receiptId}</span>`)}
</dl>
<p class="note">Questions? Contact ${merchantText(view.brandName)} with the receipt number.</p>`
}

function paymentFacts(view: CheckoutView): SafeHtml {
  const { payment } = view
  const hasMoney = payment.token !== null && BigInt(payment.received) > 0n
  return html`<dl class="facts">
  ${hasMoney ? fact('Received', tokenText(payment.received, payment.decimals, payment.token ?? '')) : null}
  ${hasMoney ? fact('Network', view.chain.name) : null}
  ${transactionFact(view)}
  ${fact('Receipt', html`<span class="mono">${view.receiptId}</span>`)}
</dl>`
}

/** The merchant's address to return to, if it may be followed: https, or this machine in development. */
export function returnUrl(
  view: CheckoutView,
  context: Pick<PageContext, 'isProduction'>,
): string | undefined {
  if (!view.returnUrl || !URL.canParse(view.returnUrl)) return undefined
  const url = new URL(view.returnUrl)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  const isFine = url.protocol === 'https:' || (url.protocol === 'http:' && isLocal && !context.isProduction)
  return isFine ? url.href : undefined
}
