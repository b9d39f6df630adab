import { html, type SafeHtml } from '@remix-run/html-template'
import type { FixedRate, ReceiptTax, ReceiptView } from '../../payments/tracking/receipt-view.ts'
import { fact, merchantText } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'

export function itemRows(view: ReceiptView, t: Translator): SafeHtml {
  const rows = view.lines.map(
    ({ label, qty, amount }) =>
      html`<tr><th scope="row">${merchantText(label)}</th><td>${qty === null ? null : t.number(qty)}</td><td>${t.money(amount, view.currency)}</td></tr>
`,
  )
  return html`<table class="lines">
<thead><tr><th scope="col">${t.text('receipt.item')}</th><th scope="col">${t.text('receipt.quantity')}</th><th scope="col">${t.text('receipt.amount')}</th></tr></thead>
<tbody>${rows}</tbody></table>
<dl class="sums">${sumRows(view, t).map(({ term, value, isTotal }) => fact(term, value, isTotal ? 'total' : ''))}</dl>
${rates(view, t)}`
}

export type SumRow = { readonly term: string; readonly value: string; readonly isTotal: boolean }

/** Returns the tax, fee and totals in the receipt's currency, and in USD if different. */
export function sumRows(view: ReceiptView, t: Translator): SumRow[] {
  const { tax, totals, currency } = view
  const row = (term: string, value: string, isTotal = false) => ({ term, value, isTotal })
  const isNative = currency !== 'USD'
  const own = t.money(totals.total, currency)
  const rows: SumRow[] = tax ? [row(taxText(tax, t), t.money(tax.amount, currency))] : []
  if (totals.feeUsd === 0) {
    rows.push(row(t.text('receipt.total'), own, true))
    if (isNative) rows.push(row(t.text('receipt.in-dollars'), t.money(totals.totalUsd, 'USD')))
    return rows
  }
  rows.push(row(t.text('receipt.order'), own))
  if (isNative) rows.push(row(t.text('receipt.in-dollars'), t.money(totals.totalUsd, 'USD')))
  rows.push(row(t.text('receipt.fee'), t.money(totals.feeUsd, 'USD')))
  rows.push(row(t.text('receipt.total'), t.money(totals.customerTotalUsd, 'USD'), true))
  return rows
}

/** Returns the total in the receipt's currency, or in USD if there is a fee. */
export function totalText({ totals, currency }: ReceiptView, t: Translator): string {
  return totals.feeUsd === 0 ? t.money(totals.total, currency) : t.money(totals.customerTotalUsd, 'USD')
}

export function rateTexts(view: ReceiptView, t: Translator): string[] {
  return ratesOf(view).map(({ unit, usdPerUnit, quotedAt, provider: source }) =>
    t.text('receipt.rate', { unit, rate: t.rate(usdPerUnit), time: t.timeText(quotedAt), source }),
  )
}

/** Lists the exchange rates of the receipt's currency and its payments, without duplicates. */
function ratesOf(view: ReceiptView): FixedRate[] {
  const all = [...(view.valuation ? [view.valuation] : []), ...view.payments.map(({ rate }) => rate)]
  const known = new Map(all.map((rate) => [`${rate.unit} ${rate.usdPerUnit} ${rate.quotedAt}`, rate]))
  return [...known.values()]
}

function rates(view: ReceiptView, t: Translator): SafeHtml | null {
  const list = ratesOf(view)
  if (list.length === 0) return null
  return html`<ul class="rates" aria-label="${t.text('receipt.rates')}">${list.map(
    ({ unit, usdPerUnit, quotedAt, provider: source }) =>
      html`<li>${t.html('receipt.rate', { unit, rate: isolated(t.rate(usdPerUnit)), time: isolated(t.time(quotedAt)), source: isolated(source) })}</li>`,
  )}</ul>`
}

/** Isolates the direction of the content on right-to-left pages. */
function isolated(content: SafeHtml | string): SafeHtml {
  return html`<bdi>${content}</bdi>`
}

function taxText({ rate, jurisdictionCode: code }: ReceiptTax, t: Translator): string {
  if (rate === null) return code === null ? t.text('receipt.tax') : t.text('receipt.tax-in', { code })
  const percent = t.percent(rate)
  return code === null
    ? t.text('receipt.tax-at', { rate: percent })
    : t.text('receipt.tax-at-in', { rate: percent, code })
}
