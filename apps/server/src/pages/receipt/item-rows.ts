import { html, type SafeHtml } from '@remix-run/html-template'
import type { FixedRate, ReceiptTax, ReceiptView } from '../../payments/tracking/receipt-view.ts'
import { fact, merchantText } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'

/** Every line of a receipt, what they come to, and the rates that rests on. */
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

/** A row below the lines. */
export type SumRow = { readonly term: string; readonly value: string; readonly isTotal: boolean }

/** Tax, fee and totals: in the receipt's own currency and in US dollars where that is another one. */
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

/** What the customer paid: in the receipt's own currency where that is the whole of it. */
export function totalText({ totals, currency }: ReceiptView, t: Translator): string {
  return totals.feeUsd === 0 ? t.money(totals.total, currency) : t.money(totals.customerTotalUsd, 'USD')
}

/** The rates of a receipt as plain text, times in UTC. */
export function rateTexts(view: ReceiptView, t: Translator): string[] {
  return ratesOf(view).map(({ unit, usdPerUnit, quotedAt, provider: source }) =>
    t.text('receipt.rate', { unit, rate: t.rate(usdPerUnit), time: t.timeText(quotedAt), source }),
  )
}

/** Each once: that of the receipt's currency, and those its payments were counted at. */
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
      html`<li>${t.html('receipt.rate', { unit, rate: t.rate(usdPerUnit), time: t.time(quotedAt), source })}</li>`,
  )}</ul>`
}

function taxText({ rate, jurisdictionCode: code }: ReceiptTax, t: Translator): string {
  if (rate === null) return code === null ? t.text('receipt.tax') : t.text('receipt.tax-in', { code })
  const percent = t.percent(rate)
  return code === null
    ? t.text('receipt.tax-at', { rate: percent })
    : t.text('receipt.tax-at-in', { rate: percent, code })
}
