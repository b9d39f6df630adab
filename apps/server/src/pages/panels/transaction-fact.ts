import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { fact } from '../html/parts.ts'

/** The transaction of the payment, in full, with a link to the explorer where the chain has one. */
export function transactionFact(view: CheckoutView): SafeHtml | null {
  const hash = view.transactionHash ?? view.payment.transactionHash
  if (!hash) return null
  const url = view.chain.explorerUrl && `${view.chain.explorerUrl}/tx/${encodeURIComponent(hash)}`
  const link = url
    ? html`<br><a href="${url}" target="_blank" rel="noopener noreferrer">View on the block explorer</a>`
    : null
  return fact('Transaction', html`<span class="mono">${hash}</span>${link}`)
}
