import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { brandMark } from '../html/brand-mark.ts'
import { currencyText, rateText, timeText, tokenText } from '../html/money-text.ts'
import { fact, merchantText } from '../html/parts.ts'
import type { PageTheme } from '../theme/page-theme.ts'
import { isPayable, type Panel } from './panel.ts'

const shownLineCount = 5

/** What is bought and what it costs: the side of the checkout that stays the same through every state. */
export function summary(view: CheckoutView, panel: Panel, theme: PageTheme | undefined): SafeHtml {
  const shown = view.lineItems.slice(0, shownLineCount)
  const more = view.lineItems.slice(shownLineCount)
  return html`
<p class="brand">${brandMark(theme, view.brandName)}${merchantText(view.brandName)}</p>
<h1><span class="hidden">Total </span>${totalText(view)}</h1>
${secondTotal(view)}
${isPayable(panel) ? tokenAmount(view) : null}
<ul class="lines">${shown.map((line) => lineRow(line, view.currency))}</ul>
${more.length > 0 ? html`<details><summary>${more.length} more</summary><ul class="lines">${more.map((line) => lineRow(line, view.currency))}</ul></details>` : null}
<dl class="sums">
  ${view.feeUsd === 0 ? null : html`${fact('Order', orderText(view))}${fact('Processing fee', currencyText(view.feeUsd, 'USD'))}`}
  ${fact('Total', totalText(view), 'total')}
</dl>
${rates(view, panel)}
<p class="dim reference">Receipt <span class="mono">${view.receiptId}</span></p>`
}

/** What the buyer is asked for, in the receipt's own currency where that is the whole of it. */
export function totalText(view: CheckoutView): string {
  return isNative(view) && view.feeUsd === 0 ? orderText(view) : currencyText(view.customerTotalUsd, 'USD')
}

function orderText(view: CheckoutView): string {
  return isNative(view) && view.total !== undefined
    ? currencyText(view.total, view.currency)
    : currencyText(view.totalUsd, 'USD')
}

function isNative(view: CheckoutView): boolean {
  return view.currency !== 'USD' && view.total !== undefined
}

function secondTotal(view: CheckoutView): SafeHtml | null {
  if (!isNative(view)) return null
  const other = view.feeUsd === 0 ? currencyText(view.customerTotalUsd, 'USD') : orderText(view)
  return html`<p class="dim">${view.feeUsd === 0 ? other : html`${other} of it for the order`}</p>`
}

function tokenAmount(view: CheckoutView): SafeHtml | null {
  const { attempt } = view
  const token = view.tokens.find((it) => it.symbol === attempt?.token)
  if (!attempt || !token) return null
  return html`<p class="tokenamount">${tokenText(attempt.amount, token.decimals, token.symbol)} <span class="dim">on ${view.chain.name}</span></p>`
}

function lineRow(line: CheckoutView['lineItems'][number], currency: string): SafeHtml {
  const price =
    line.amount !== undefined ? currencyText(line.amount, currency) : currencyText(line.priceUsd, 'USD')
  const count =
    line.qty !== undefined && line.qty !== 1 ? html` <span class="dim">× ${line.qty}</span>` : null
  return html`<li><span class="label">${merchantText(line.label)}${count}</span><span class="price">${price}</span></li>`
}

/** The rates the amounts rest on, with the time and the source of each. */
function rates(view: CheckoutView, panel: Panel): SafeHtml | null {
  const { valuation, attempt } = view
  const fixed =
    valuation && valuation.currency !== 'USD'
      ? html`<p class="dim">1 ${valuation.currency} = ${rateText(valuation.usdPerUnit)}, fixed ${timeText(valuation.quotedAt)}</p>`
      : null
  const offered =
    attempt && isPayable(panel)
      ? html`<p class="dim">1 ${attempt.token} = ${rateText(attempt.rate.usdPerUnit)}, quoted ${timeText(attempt.rate.quotedAt)}</p>`
      : null
  return fixed || offered ? html`<div class="rates">${fixed}${offered}</div>` : null
}
