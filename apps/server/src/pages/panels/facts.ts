import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { isSettled, normaliseStatus } from '@sluice/protocol/receipt-status.ts'
import { fact } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'

export function paymentFacts(view: CheckoutView, t: Translator): SafeHtml {
  const { payment } = view
  const hasMoney = payment.token !== null && BigInt(payment.received) > 0n
  const isPaid = isSettled(normaliseStatus(view.status) ?? 'pending')
  const received = t.text(isPaid ? 'checkout.fact.paid' : 'checkout.fact.received')
  return html`<dl class="facts pairs">
  ${hasMoney ? fact(received, receivedText(view, t)) : null}
  ${hasMoney ? fact(t.text('checkout.fact.network'), view.chain.name) : null}
  ${transactionFact(view, t)}
  ${view.refunds.map((refund) => refundFact(refund, view, t))}
  ${receiptFact(view, t)}
</dl>`
}

function receivedText({ payment }: CheckoutView, t: Translator): string {
  const { token, decimals, received, otherTokens } = payment
  return [{ token: token ?? '', decimals, received }, ...otherTokens]
    .map((each) => t.token(each.received, each.decimals, each.token))
    .join(' + ')
}

export function receiptFact(view: CheckoutView, t: Translator): SafeHtml {
  return fact(t.text('checkout.fact.receipt'), html`<bdi class="mono">${view.receiptId}</bdi>`, 'wide')
}

export function shortFacts(view: CheckoutView, t: Translator): SafeHtml {
  const { missing, decimals, token } = view.payment
  return html`<dl class="facts split">
  ${fact(t.text('checkout.fact.received'), receivedText(view, t))}
  ${fact(t.text('checkout.fact.remaining'), t.token(missing, decimals, token ?? ''))}
</dl>`
}

function refundFact(refund: CheckoutView['refunds'][number], view: CheckoutView, t: Translator): SafeHtml {
  const amount = t.money(refund.usd, 'USD')
  const said = refund.isConfirmed ? amount : t.html('checkout.fact.refund-sent', { amount, dim })
  const hash = refund.transactionHash
  return fact(
    t.text('checkout.fact.refunded'),
    hash === null ? said : html`${said}<br>${transactionLink(hash, view, t)}`,
    'wide',
  )
}

export function dim(parts: readonly (string | SafeHtml)[]): SafeHtml {
  return html`<span class="dim">${[...parts]}</span>`
}

function transactionFact(view: CheckoutView, t: Translator): SafeHtml | null {
  const hash = view.transactionHash ?? view.payment.transactionHash
  return hash ? fact(t.text('checkout.fact.transaction'), transactionLink(hash, view, t), 'wide') : null
}

export function transactionLink(hash: string, view: CheckoutView, t: Translator): SafeHtml {
  const url = view.chain.explorerUrl && `${view.chain.explorerUrl}/tx/${encodeURIComponent(hash)}`
  const link = url
    ? html`<br><a href="${url}" target="_blank" rel="noopener noreferrer">${t.text('checkout.fact.explorer')}</a>`
    : null
  return html`<span class="mono" dir="ltr">${hash}</span>${link}`
}
