import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { fact } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'

/** The transaction of the payment. */
export function transactionFact(view: CheckoutView, t: Translator): SafeHtml | null {
  const hash = view.transactionHash ?? view.payment.transactionHash
  return hash ? fact(t.text('checkout.fact.transaction'), transactionLink(hash, view, t), 'wide') : null
}

/** A transaction in full, with a link to the explorer where the chain has one. */
export function transactionLink(hash: string, view: CheckoutView, t: Translator): SafeHtml {
  const url = view.chain.explorerUrl && `${view.chain.explorerUrl}/tx/${encodeURIComponent(hash)}`
  const link = url
    ? html`<br><a href="${url}" target="_blank" rel="noopener noreferrer">${t.text('checkout.fact.explorer')}</a>`
    : null
  return html`<span class="mono" dir="ltr">${hash}</span>${link}`
}
