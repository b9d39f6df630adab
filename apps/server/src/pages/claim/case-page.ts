import { html, type SafeHtml } from '@remix-run/html-template'
import type { ClaimCase } from '../../payments/claims/find-case.ts'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import { brandMark, explorerUrl, fact, type IconName, outsideLink, sign, type Tone } from '../html/parts.ts'
import type { MessageKey } from '../messages/translator.ts'
import { type ClaimSite, linkTo, paymentFacts } from './payment-facts.ts'

const looks = {
  open: { tone: 'wait', sign: 'clock' },
  applied: { tone: 'good', sign: 'check' },
  refunded: { tone: 'good', sign: 'back' },
  kept: { tone: 'plain', sign: 'alert' },
  orphaned: { tone: 'bad', sign: 'alert' },
} as const satisfies Record<ClaimCase['state'], { tone: Tone; sign: IconName }>

export function casePage(view: ClaimCase, site: ClaimSite, frame: PageFrame): SafeHtml {
  const { t, assets } = frame
  const { state, id, refund } = view
  const look = looks[state]
  const url = refund && explorerUrl(view.chain, 'tx', refund.transactionHash)
  return htmlDocument({
    ...frame,
    locale: t.locale,
    style: assets.styles.claim,
    scripts: [assets.scripts.claim],
    title: t.text('claim.case.title', { id }),
    body: html`<main class="alone claim"><article class="paper">
<header class="title"><p class="who">${brandMark(frame.theme, site.brandName)}<bdi>${site.brandName}</bdi></p><h1>${t.text('claim.case.heading')}</h1>
<p class="standing ${look.tone}"><span class="badge">${sign(look.sign)}</span><span>${t.text(`claim.case.${state}.title`)}</span></p>
<p>${t.text(textOf(view))}</p></header>
<dl class="facts">
${fact(t.text('claim.case.number'), html`<span class="mono">${id}</span>`)}
${fact(t.text('claim.case.made'), t.time(view.madeAt))}
${view.decidedAt === null ? null : fact(t.text('claim.case.decided'), t.time(view.decidedAt))}
${fact(t.text('claim.case.proof'), t.text(view.isProven ? 'claim.case.proven' : 'claim.case.unproven'))}
${fact(t.text('claim.case.refund-to'), html`<span class="mono">${view.refundAddress}</span>`)}
${refund ? fact(t.text('claim.case.refund-transaction'), html`<span class="mono">${refund.transactionHash}</span>${url ? html`<br>${outsideLink(url, t.text('claim.explorer'))}` : null}`) : null}
</dl>
<section class="result">${paymentFacts(view.payment, site, t)}</section>
<p class="note">${t.text('claim.case.keep')}</p>
<p class="actions"><a class="button" href="">${t.text('claim.case.reload')}</a><a class="quiet" href="${linkTo(site, {})}">${t.text('claim.case.again')}</a></p>
</article></main>`,
  })
}

function textOf({ state, refund }: ClaimCase): MessageKey {
  if (refund && !refund.isConfirmed) return 'claim.case.refunded.unconfirmed'
  return state === 'refunded' && !refund ? 'claim.case.refunded.no-transaction' : `claim.case.${state}.text`
}
