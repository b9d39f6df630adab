import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { isStopCode } from '@sluice/protocol/failures.ts'
import { fact, type IconName, merchantText, panelHead, type Tone } from '../html/parts.ts'
import { paymentFacts, receiptFact, shortFacts, transactionLink } from './facts.ts'
import type { PageContext } from './page-context.ts'
import { canPayAgain, failureCodeOf, limitOf, type Panel } from './panel.ts'
import { cardWay, providerWait, quoteButton, returnUrl } from './ways-to-pay.ts'

export function outcomePanel(
  panel: Exclude<Panel, 'pay' | 'short'>,
  view: CheckoutView,
  context: PageContext,
): SafeHtml {
  switch (panel) {
    case 'pending':
      return pendingPanel(view, context)
    case 'relaying':
      return relayingPanel(view, context)
    case 'paid':
    case 'paid-late':
    case 'overpaid':
      return paidPanel(panel, view, context)
    case 'failed':
      return failedPanel(view, context)
    case 'provider':
      return html`${panelHead('wait', 'clock', context.t.text('checkout.provider.title'), context.t.text('checkout.provider.text'))}${providerWait(view, context)}`
    case 'bank-pending':
    case 'orphaned':
    case 'refund-requested':
    case 'refunded':
    case 'partly-refunded':
    case 'expired-funds':
      return factsPanel(panel, view, context)
    case 'expired':
    case 'no-offer':
    case 'short-expired':
    case 'receipt-expired':
    case 'cancelled':
    case 'cannot-pay':
    case 'out-of-limits':
      return obstaclePanel(panel, view, context)
  }
}

const looks = {
  'bank-pending': ['wait', 'clock'],
  orphaned: ['bad', 'alert'],
  'refund-requested': ['wait', 'back'],
  refunded: ['plain', 'back'],
  'partly-refunded': ['plain', 'back'],
  'expired-funds': ['bad', 'alert'],
} as const satisfies Partial<Record<Panel, readonly [Tone, IconName]>>

const receipted: ReadonlySet<Panel> = new Set(['refund-requested', 'refunded', 'partly-refunded'])

function factsPanel(panel: keyof typeof looks, view: CheckoutView, context: PageContext): SafeHtml {
  const { t } = context
  const [tone, sign] = looks[panel]
  const brand = merchantText(view.brandName)
  const amount = t.money(view.refundedUsd, 'USD')
  const key =
    panel === 'expired-funds' && view.refundedUsd > 0
      ? 'checkout.expired-funds.returned'
      : (`checkout.${panel}.text` as const)
  const text = t.html(key, { brand, amount })
  return html`${panelHead(tone, sign, t.text(`checkout.${panel}.title`), text)}${panel === 'bank-pending' ? html`<p class="note">${t.html('checkout.bank-pending.wait', { brand })}</p>` : null}${paymentFacts(view, t)}${receipted.has(panel) ? receiptLink(context) : null}`
}

function receiptLink({ t, receiptPath }: PageContext): SafeHtml {
  return html`<p class="actions"><a class="quiet" href="${receiptPath}">${t.text('checkout.paid.receipt')}</a></p>`
}

function pendingPanel(view: CheckoutView, { t }: PageContext): SafeHtml {
  const { confirmations, requiredConfirmations: required } = view.payment
  const seen = Math.min(confirmations, required)
  const count = html`<span data-confirmations>${seen}</span>`
  const text = t.html('checkout.pending.text', { brand: merchantText(view.brandName) })
  return html`${panelHead('wait', 'clock', t.text('checkout.pending.title'), text)}
${
  required > 0
    ? html`<p class="progress"><progress aria-label="${t.text('checkout.pending.label')}" data-progress max="${required}" value="${seen}"></progress><span>${t.html('checkout.pending.confirmations', { seen: count, required })}</span></p>`
    : html`<p class="progress"><progress aria-label="${t.text('checkout.pending.finalizing-label')}"></progress>${t.text('checkout.pending.finalizing')}</p>`
}${paymentFacts(view, t)}
<noscript><p class="note">${t.html('checkout.pending.refresh', { refresh })}</p></noscript>`
}

function relayingPanel(view: CheckoutView, context: PageContext): SafeHtml {
  const { t } = context
  const text = t.html('checkout.relaying.text', { brand: merchantText(view.brandName) })
  const hash = view.signedPayment?.transactionHash
  const link =
    hash &&
    html`<dl class="facts">${fact(t.text('checkout.fact.transaction'), transactionLink(hash, view, t), 'wide')}</dl>`
  return html`${panelHead('wait', 'clock', t.text('checkout.relaying.title'), text)}
<p class="progress"><progress aria-label="${t.text('checkout.relaying.waiting')}"></progress>${t.text('checkout.relaying.waiting')}</p>${link ?? null}
<noscript><p class="note">${t.html('checkout.pending.refresh', { refresh })}</p></noscript>`
}

function refresh(parts: readonly (string | SafeHtml)[]): SafeHtml {
  return html`<a href="">${[...parts]}</a>`
}

function paidPanel(
  panel: 'paid' | 'paid-late' | 'overpaid',
  view: CheckoutView,
  context: PageContext,
): SafeHtml {
  const { t } = context
  const { payment } = view
  const brand = merchantText(view.brandName)
  const excess = t.token(payment.excess, payment.decimals, payment.token ?? '')
  const isReturned = view.refunds.some(({ kind, isConfirmed }) => kind === 'excess' && isConfirmed)
  const key =
    panel === 'overpaid' && isReturned ? 'checkout.overpaid.returned' : (`checkout.${panel}.text` as const)
  return html`${panelHead('good', 'check', t.text('checkout.paid.title'), t.html(key, { brand, excess }))}
${wayOn(view, context)}${paymentFacts(view, t)}
${receiptLink(context)}`
}

function wayOn(view: CheckoutView, context: PageContext): SafeHtml | null {
  const url = returnUrl(view, context)
  if (!url) return null
  const { t } = context
  const seconds = html`<span data-seconds>5</span>`
  return html`<div class="return"><a class="button" data-return href="${url}"><span>${t.html('checkout.paid.return', { brand: merchantText(view.brandName) })}</span></a>
<p class="leaving" data-countdown data-say="${t.text('checkout.paid.leaving-say')}" hidden><span>${t.html('checkout.paid.leaving', { seconds })}</span> <button type="button" class="quiet" data-act="stay">${t.text('checkout.paid.stay')}</button></p></div>`
}

export function failedPanel(view: CheckoutView, context: PageContext): SafeHtml {
  const { t } = context
  const code = failureCodeOf(view)
  const brand = merchantText(view.brandName)
  const text = html`${t.text(`checkout.failure.${code}.reason`)} ${t.html(`checkout.failure.${code}.next`, { brand })}`
  const reference = view.failure?.providerRequestId
  const head = isStopCode(code)
    ? panelHead('plain', 'cross', t.text('checkout.failed.stopped'), text)
    : panelHead('bad', 'cross', t.text('checkout.failed.title'), text)
  return html`${head}
${canPayAgain(view) ? waysOn(view, context) : null}
<dl class="facts">
  ${reference ? fact(t.text('checkout.fact.reference'), html`<bdi class="mono">${reference}</bdi>`) : null}
  ${receiptFact(view, t)}
</dl>
<p class="note">${t.html('checkout.failed.contact', { brand })}</p>`
}

function waysOn(view: CheckoutView, context: PageContext): SafeHtml {
  const again = context.t.text('checkout.failed.again')
  const isCard = view.onramp !== null && view.onramp.session !== null
  if (!isCard || limitOf(view) === 'provider') return quoteButton(again, view, context)
  return html`${cardWay(view, context, 'again')}${quoteButton(again, view, context, 'quiet')}`
}

const obstacleLooks = {
  expired: ['plain', 'clock'],
  'short-expired': ['wait', 'alert'],
  'receipt-expired': ['plain', 'clock'],
  cancelled: ['plain', 'cross'],
  'no-offer': ['bad', 'alert'],
  'cannot-pay': ['bad', 'alert'],
  'out-of-limits': ['bad', 'alert'],
} as const satisfies Partial<Record<Panel, readonly [Tone, IconName]>>

function obstaclePanel(
  panel: keyof typeof obstacleLooks,
  view: CheckoutView,
  context: PageContext,
): SafeHtml {
  const { t } = context
  const [tone, sign] = obstacleLooks[panel]
  const text = t.html(`checkout.${panel}.text`, { brand: merchantText(view.brandName) })
  const head = panelHead(tone, sign, t.text(`checkout.${panel}.title`), text)
  if (panel !== 'expired' && panel !== 'no-offer' && panel !== 'short-expired')
    return html`${head}<dl class="facts">${receiptFact(view, t)}</dl>`
  const rest = panel === 'short-expired' ? shortFacts(view, t) : null
  return html`${head}${rest}${quoteButton(t.text(`checkout.${panel}.again`), view, context)}${panel === 'no-offer' ? null : cardWay(view, context)}`
}
