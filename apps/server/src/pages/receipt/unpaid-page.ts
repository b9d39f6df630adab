import { html, type SafeHtml } from '@remix-run/html-template'
import type { ReceiptView } from '../../payments/tracking/receipt-view.ts'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import { brandMark, languageSwitch, merchantText, sign } from '../html/parts.ts'
import { totalText } from './item-rows.ts'
import type { ReceiptPaths } from './receipt-paths.ts'

/** In place of a receipt that is not paid: says so, and where it can be. */
export function unpaidPage(view: ReceiptView, paths: ReceiptPaths, frame: PageFrame): SafeHtml {
  const { t, assets, theme } = frame
  const { standing } = view
  const kind = standing === 'bank-pending' ? 'bank' : standing === 'cancelled' ? standing : 'unpaid'
  const title = t.text(`receipt.${kind}.title`)
  return htmlDocument({
    ...frame,
    locale: t.locale,
    style: assets.styles.receipt,
    title: `${title} · ${view.brandName}`,
    body: html`<main class="alone"><article class="paper">
<header class="title"><p class="who">${brandMark(theme, view.brandName)}${merchantText(view.brandName)}</p><p class="standing wait"><span class="badge">${sign('clock')}</span></p><h1>${title}</h1></header>
<p>${t.html(`receipt.${kind}.text`, { brand: merchantText(view.brandName) })}</p>
<dl class="facts"><div><dt>${t.text('receipt.total')}</dt><dd>${totalText(view, t)}</dd></div><div><dt>${t.text('receipt.number')}</dt><dd><bdi class="mono">${view.receiptId}</bdi></dd></div></dl>
<p class="actions"><a class="button" href="${paths.checkout}">${t.text(kind === 'unpaid' ? 'receipt.unpaid.action' : 'receipt.bank.action')}</a></p>
</article></main>
<footer><p>${t.text('receipt.footer-plain')}</p>
${languageSwitch(t.locale, t.text('receipt.languages'), paths.inLanguage)}</footer>`,
  })
}
