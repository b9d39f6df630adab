import { html, type SafeHtml } from '@remix-run/html-template'
import type { ClaimablePayment } from '../../payments/claims/find-claimable.ts'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import { brandMark, sign } from '../html/parts.ts'
import type { MessageKey } from '../messages/translator.ts'
import { claimForms, type FormState } from './claim-forms.ts'
import { type ClaimSite, langField, linkTo, paymentFacts, shortFacts } from './payment-facts.ts'

export type Search =
  | { readonly kind: 'none-yet' }
  | { readonly kind: 'no-hash'; readonly typed: string }
  | { readonly kind: 'nothing'; readonly hash: string }
  | { readonly kind: 'several'; readonly hash: string; readonly payments: readonly ClaimablePayment[] }
  | { readonly kind: 'one'; readonly payment: ClaimablePayment; readonly form: FormState }

export function claimPage(search: Search, site: ClaimSite, frame: PageFrame): SafeHtml {
  const { t, assets } = frame
  return htmlDocument({
    ...frame,
    locale: t.locale,
    style: assets.styles.claim,
    scripts: scriptsFor(search, site, frame),
    title: t.text('claim.title', { brand: site.brandName }),
    body: html`<main class="alone claim">
<p class="hidden" role="status" id="say"></p>
<article class="paper">
<header class="title"><p class="who">${brandMark(frame.theme, site.brandName)}<bdi>${site.brandName}</bdi></p><h1>${t.text('claim.heading')}</h1><p class="dim">${t.text('claim.intro')}</p></header>
${searchForm(search, site, frame)}
${result(search, site, frame)}
</article>
<p class="note safety">${sign('alert')}<span>${t.text('claim.safety')}</span></p>
</main>`,
  })
}

function scriptsFor(search: Search, { hasDemoWallet }: ClaimSite, { assets }: PageFrame): string[] {
  if (search.kind !== 'one') return []
  return [assets.scripts.claim, ...(hasDemoWallet ? [assets.scripts['demo-wallet']] : [])]
}

function searchForm(search: Search, site: ClaimSite, { t }: PageFrame): SafeHtml {
  const typed =
    search.kind === 'no-hash'
      ? search.typed
      : search.kind === 'one'
        ? search.payment.transactionHash
        : 'hash' in search
          ? search.hash
          : ''
  const isBad = search.kind === 'no-hash'
  return html`<form method="get" action="/claim" class="search" role="search">
${langField(site)}<label for="hash">${t.text('claim.hash')}</label>
<input id="hash" name="hash" class="mono" value="${typed}" required maxlength="80" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="hash-hint${isBad ? ' hash-fault' : ''}"${isBad ? html` aria-invalid="true"` : null}>
${isBad ? html`<p class="fault" id="hash-fault" role="alert">${sign('alert')}<span>${t.text('claim.bad-hash')}</span></p>` : null}
<p class="note" id="hash-hint">${t.text('claim.hash-hint')}</p>
<p class="actions"><button class="${search.kind === 'one' ? 'quiet' : 'button'}">${t.text('claim.find')}</button></p>
</form>`
}

function result(search: Search, site: ClaimSite, frame: PageFrame): SafeHtml | null {
  const { t } = frame
  switch (search.kind) {
    case 'none-yet':
    case 'no-hash':
      return null
    case 'nothing':
      return html`<section class="result"><h2>${t.text('claim.none.title')}</h2><p>${t.text('claim.none.text')}</p><ul class="reasons">${reasons.map((key) => html`<li>${t.text(key)}</li>`)}</ul></section>`
    case 'several':
      return html`<section class="result">${foundHead(search.payments.length, frame)}<ul class="found">${search.payments.map(
        (payment) =>
          html`<li>${shortFacts(payment, t)}<p class="actions"><a class="quiet" href="${linkTo(site, { hash: payment.transactionHash, log: String(payment.logIndex) })}">${t.text('claim.choose')}</a></p></li>`,
      )}</ul></section>`
    case 'one':
      return html`<section class="result">${foundHead(1, frame)}${search.payment.token === null ? html`<p class="note">${t.text('claim.unlisted')}</p>` : null}${paymentFacts(search.payment, site, t)}</section>${claimForms(search.payment, search.form, site, t)}`
  }
}

function foundHead(count: number, { t }: PageFrame): SafeHtml {
  return html`<p class="standing good"><span class="badge">${sign('check')}</span><span>${t.text('claim.found.title', { count })}</span></p><p>${t.text('claim.found.text', { count })}</p>`
}

const reasons: readonly MessageKey[] = [
  'claim.none.credited',
  'claim.none.early',
  'claim.none.elsewhere',
  'claim.none.typo',
]
