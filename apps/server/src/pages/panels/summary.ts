import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { brandMark, fact, merchantText } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'
import type { PageTheme } from '../theme/page-theme.ts'
import { dim } from './facts.ts'
import type { PageContext } from './page-context.ts'
import { isPaid, isPayable, type Panel } from './panel.ts'
import { wayBack } from './ways-to-pay.ts'

const shownLineCount = 15

export function summary(
  view: CheckoutView,
  panel: Panel,
  { context, theme }: { readonly context: PageContext; readonly theme: PageTheme | undefined },
): SafeHtml {
  const { t } = context
  const total = totalText(view, t)
  return html`
<header class="who">${brandMark(theme, view.brandName)}<h1>${merchantText(view.brandName)}</h1>${back(view, panel, context)}</header>
<p class="amount"><span class="hidden">${t.text('checkout.order.total')} </span>${total}</p>
${tokenAmount(view, panel, t)}
<details class="fold order"><summary>${firstLine(view, t)}<strong>${total}</strong></summary>
${secondTotal(view, t)}
${lines(view, t)}
<dl class="sums">
  ${view.feeUsd === 0 ? null : html`${fact(t.text('checkout.order.subtotal'), orderText(view, t))}${fact(t.text('checkout.order.fee'), t.money(view.feeUsd, 'USD'))}`}
  ${fact(t.text('checkout.order.total'), total, 'total')}
</dl>
${rates(view, panel, t)}
<p class="dim reference">${t.html('checkout.order.receipt', { id: html`<bdi class="mono">${view.receiptId}</bdi>` })}</p>
</details>`
}

/** Returns the amount due, in the receipt's currency if no fee is added, otherwise in USD. */
export function totalText(view: CheckoutView, t: Translator): string {
  return isNative(view) && view.feeUsd === 0 ? orderText(view, t) : t.money(view.customerTotalUsd, 'USD')
}

function orderText(view: CheckoutView, t: Translator): string {
  return isNative(view) && view.total !== undefined
    ? t.money(view.total, view.currency)
    : t.money(view.totalUsd, 'USD')
}

function isNative(view: CheckoutView): boolean {
  return view.currency !== 'USD' && view.total !== undefined
}

function back(view: CheckoutView, panel: Panel, context: PageContext): SafeHtml | null {
  const way = isPaid(panel) ? undefined : wayBack(view, context)
  if (!way) return null
  const shop = merchantText(way.name)
  return html`<a class="back" href="${way.href}" rel="noopener noreferrer">${context.t.html('checkout.back', { shop })}</a>`
}

function tokenAmount(view: CheckoutView, panel: Panel, t: Translator): SafeHtml | null {
  const { attempt } = view
  const token = view.tokens.find((it) => it.symbol === attempt?.token)
  if (!attempt || !token || !isPayable(panel)) return null
  const amount = t.token(attempt.remaining, token.decimals, token.symbol)
  const said =
    panel === 'short'
      ? t.html('checkout.order.remaining', { amount, dim })
      : t.html('checkout.order.on-network', { amount, network: view.chain.name, dim })
  return html`<p class="tokenamount">${said}</p>`
}

function secondTotal(view: CheckoutView, t: Translator): SafeHtml | null {
  if (!isNative(view)) return null
  const said =
    view.feeUsd === 0
      ? t.money(view.customerTotalUsd, 'USD')
      : t.text('checkout.order.of-it', { amount: orderText(view, t) })
  return html`<p class="dim">${said}</p>`
}

function firstLine({ lineItems }: CheckoutView, t: Translator): SafeHtml {
  const more = lineItems.length - 1
  const rest =
    more > 0 ? html`<span class="dim">${t.text('checkout.order.and-more', { count: more })}</span>` : null
  return html`<span class="first"><span class="hidden">${t.text('checkout.order.details')}: </span>${merchantText(lineItems[0]?.label ?? '')}${rest}</span>`
}

function lines(view: CheckoutView, t: Translator): SafeHtml {
  const list = (some: CheckoutView['lineItems']) =>
    html`<ul class="lines">${some.map((line) => lineRow(line, view.currency, t))}</ul>`
  const more = view.lineItems.slice(shownLineCount)
  const rest =
    more.length > 0
      ? html`<details><summary>${t.text('checkout.order.more', { count: more.length })}</summary>${list(more)}</details>`
      : null
  return html`${list(view.lineItems.slice(0, shownLineCount))}${rest}`
}

function lineRow(line: CheckoutView['lineItems'][number], currency: string, t: Translator): SafeHtml {
  const price = line.amount !== undefined ? t.money(line.amount, currency) : t.money(line.priceUsd, 'USD')
  const count =
    line.qty !== undefined && line.qty !== 1
      ? html` ${dim([t.text('checkout.order.count', { count: t.number(line.qty) })])}`
      : null
  return html`<li><span class="label">${merchantText(line.label)}${count}</span><span class="price">${price}</span></li>`
}

function rates(view: CheckoutView, panel: Panel, t: Translator): SafeHtml | null {
  const { valuation, attempt } = view
  const said = (key: 'fixed' | 'quoted', unit: string, usdPerUnit: number, at: number) =>
    html`<p class="dim">${t.html(`checkout.order.rate-${key}`, { unit, rate: t.rate(usdPerUnit), time: t.time(at) })}</p>`
  const fixed =
    valuation && valuation.currency !== 'USD'
      ? said('fixed', valuation.currency, valuation.usdPerUnit, valuation.quotedAt)
      : null
  const offered =
    attempt && isPayable(panel)
      ? said('quoted', attempt.token, attempt.rate.usdPerUnit, attempt.rate.quotedAt)
      : null
  return fixed || offered ? html`<div class="rates">${fixed}${offered}</div>` : null
}
