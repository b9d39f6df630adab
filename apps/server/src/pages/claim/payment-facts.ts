import { html, type SafeHtml } from '@remix-run/html-template'
import type { ClaimablePayment } from '../../payments/claims/find-claimable.ts'
import { explorerUrl, fact, outsideLink } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'

export type ClaimSite = {
  readonly brandName: string
  readonly chain: { readonly name: string; readonly explorerUrl: string | null }
  readonly hasDemoWallet: boolean
  readonly lang: string | undefined
}

export function linkTo(
  { lang }: ClaimSite,
  parameters: Readonly<Record<string, string>>,
  path = '/claim',
): string {
  const params = new URLSearchParams({ ...parameters, ...(lang !== undefined && { lang }) })
  return params.size > 0 ? `${path}?${params}` : path
}

export function langField({ lang }: ClaimSite): SafeHtml | null {
  return lang === undefined ? null : html`<input type="hidden" name="lang" value="${lang}">`
}

/** Shows only public on-chain data, and nothing about the merchant that received the payment. */
export function paymentFacts(payment: ClaimablePayment, { chain }: ClaimSite, t: Translator): SafeHtml {
  const { transactionHash: hash } = payment
  const url = explorerUrl(chain, 'tx', hash)
  return html`<dl class="facts">
${ownFacts(payment, t)}
${fact(t.text('claim.date'), t.time(payment.at))}
${fact(t.text('claim.network'), chain.name)}
${fact(t.text('claim.transaction'), html`${mono(hash)}${url ? html`<br>${outsideLink(url, t.text('claim.explorer'))}` : null}`)}
</dl>`
}

export function shortFacts(payment: ClaimablePayment, t: Translator): SafeHtml {
  return html`<dl class="facts">${ownFacts(payment, t)}</dl>`
}

function ownFacts(payment: ClaimablePayment, t: Translator): SafeHtml {
  const { token, payer, to } = payment
  const amount =
    token === null
      ? t.text('claim.amount-unknown', { units: payment.amount })
      : t.token(payment.amount, payment.decimals, token)
  return html`${fact(t.text('claim.amount'), html`<strong><bdi>${amount}</bdi></strong>`)}
${token === null ? fact(t.text('claim.token'), html`${payment.tokenName === null ? null : html`<bdi>${t.text('claim.token-name', { name: payment.tokenName })}</bdi><br>`}${mono(payment.tokenAddress)}`) : null}
${fact(t.text('claim.from'), payer === null ? t.text('claim.from-unknown') : mono(payer))}
${to === null ? null : fact(t.text('claim.to'), mono(to))}`
}

function mono(text: string): SafeHtml {
  return html`<span class="mono">${text}</span>`
}
