import { html, type SafeHtml } from '@remix-run/html-template'
import type { ReceiptView } from '../../payments/tracking/receipt-view.ts'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import {
  brandMark,
  explorerUrl,
  fact,
  languageSwitch,
  merchantText,
  outsideLink,
  sign,
} from '../html/parts.ts'
import type { Locale } from '../messages/locales.ts'
import { itemRows, totalText } from './item-rows.ts'
import { looks, paidStatus, paymentsTitle, receivedKey } from './receipt-texts.ts'
import { isTracked, trackerList, versionOf } from './tracker-list.ts'

export function receiptPage(view: ReceiptView, paths: ReceiptPaths, frame: PageFrame): SafeHtml {
  const { t, assets } = frame
  const { brandName: brand, receiptId: id, tracker, chain } = view
  const footer =
    view.payments.length > 0
      ? t.text('receipt.footer', { network: chain.name })
      : t.text('receipt.footer-plain')
  return htmlDocument({
    ...frame,
    locale: t.locale,
    style: assets.styles.receipt,
    scripts: [assets.scripts.receipt],
    title: t.text('receipt.title', { id, brand }),
    body: html`
<a class="skip" href="#receipt">${t.text('receipt.skip')}</a>
<p class="hidden" role="status" id="say"></p>
<main class="receipt" id="receipt" data-version="${versionOf(view)}"${isTracked(view) ? html` data-follow` : null}>
<div class="bar"><p class="actions"><a class="button" href="${paths.pdf}">${t.text('receipt.pdf')}</a><button type="button" class="quiet scripted" data-act="print">${t.text('receipt.print')}</button></p></div>
<article class="paper">
${backdrop(frame)}
${head(view, frame)}
<section class="items"><h2 class="hidden">${t.text('receipt.items')}</h2>${itemRows(view, t)}</section>
<div class="sides">${payments(view, frame)}${buyer(view, frame)}</div>
${refunds(view, frame)}
<div class="foot">
<p>${t.html('receipt.help', { brand: merchantText(brand) })}</p>
<p class="paper-only">${t.text('receipt.online')}: <span class="mono">${paths.absolute}</span></p>
</div>
</article>
${tracker ? trackerList(view, tracker, t) : null}
</main>
<footer><p>${footer}</p><p>${t.html('receipt.claim', { link: (parts) => html`<a href="${paths.claim}">${[...parts]}</a>` })}</p>
${languageSwitch(t.locale, t.text('receipt.languages'), paths.inLanguage)}</footer>`,
  })
}

function head(view: ReceiptView, { t, theme }: PageFrame): SafeHtml {
  const standing = paidStatus(view) ?? 'paid'
  const { tone, sign: name } = looks[standing]
  return html`<header class="title">
<div class="who">${brandMark(theme, view.brandName)}<h1>${t.html('receipt.heading', { brand: merchantText(view.brandName) })}</h1></div>
<p class="standing ${tone}"><span class="badge">${sign(name)}</span>${t.text(`receipt.standing.${standing}`)}</p>
<p class="sum"><span class="dim">${t.text('receipt.total-label')}</span> <strong>${totalText(view, t)}</strong></p>
<dl class="facts">${fact(t.text('receipt.date'), t.time(view.paidAt ?? view.createdAt))}${fact(t.text('receipt.number'), html`<bdi class="mono">${view.receiptId}</bdi>`)}</dl>
</header>`
}

function backdrop({ theme }: PageFrame): SafeHtml | null {
  const picture = theme?.receiptBackground
  return picture
    ? html`<img class="backdrop" src="${picture.url}" srcset="${picture.srcset}" sizes="(max-width: 700px) 100vw, 640px" alt="">`
    : null
}

function payments(view: ReceiptView, { t }: PageFrame): SafeHtml {
  const { payments: list, paymentsOmitted, chain } = view
  if (list.length === 0)
    return html`<section><h2>${paymentsTitle(view, t)}</h2><p class="dim">${t.text('receipt.no-chain')}</p></section>`
  const facts = list.map((payment) => {
    const { transactionHash: hash, payer } = payment
    const url = hash === null ? undefined : explorerUrl(chain, 'tx', hash)
    return html`<dl class="facts">
${fact(t.text(receivedKey(payment)), html`<bdi>${t.token(payment.amount, payment.decimals, payment.token)}</bdi> <bdi class="dim">${t.time(payment.at)}</bdi>`)}
${fact(t.text('receipt.network'), chain.name)}
${fact(t.text('receipt.payer'), payer === null ? t.text('receipt.payer-unknown') : html`<span class="mono">${payer}</span>`)}
${hash === null ? null : fact(t.text('receipt.transaction'), html`<span class="mono">${hash}</span>${url ? html`<br>${outsideLink(url, t.text('receipt.explorer'))}<span class="paper-only mono">${url}</span>` : null}`)}
</dl>`
  })
  const omitted =
    paymentsOmitted > 0
      ? html`<p class="dim">${t.text('receipt.payments-omitted', { count: paymentsOmitted })}</p>`
      : null
  return html`<section><h2>${paymentsTitle(view, t)}</h2>${facts}${omitted}</section>`
}

function buyer({ buyer: data }: ReceiptView, { t }: PageFrame): SafeHtml | null {
  if (!data) return null
  const lines = [data.name, ...data.address, data.email, data.phone].filter((line) => line !== null)
  return html`<section class="buyer"><h2>${t.text('receipt.buyer')}</h2><ul>${lines.map((line) => html`<li>${merchantText(line)}</li>`)}</ul><p class="note">${t.text('receipt.buyer-note')}</p></section>`
}

function refunds({ refunds: list, chain }: ReceiptView, { t }: PageFrame): SafeHtml | null {
  if (list.length === 0) return null
  const rows = list.map(({ kind, usd, transactionHash: hash, state, at }) => {
    const amount = t.money(usd, 'USD')
    const url = hash === null ? undefined : explorerUrl(chain, 'tx', hash)
    return html`<li><p><strong>${t.text(`receipt.refund.${kind}`, { amount })}</strong></p><p class="dim">${t.html(`receipt.refund-state.${state}`, { time: html`<bdi>${t.time(at)}</bdi>` })}</p>${hash === null ? null : html`<p><span class="mono">${hash}</span>${url ? html`<br>${outsideLink(url, t.text('receipt.explorer'))}` : null}</p>`}</li>`
  })
  return html`<section class="refunds"><h2>${t.text('receipt.refunds')}</h2><ul>${rows}</ul></section>`
}

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

export type ReceiptPaths = {
  /** Link without the private signature, safe to share. */
  readonly absolute: string
  readonly page: string
  readonly pdf: string
  readonly checkout: string
  readonly claim: string
  inLanguage(locale: Locale): string
}

export type ReceiptAddress = {
  readonly id: string
  readonly recipient: string | undefined
  /** Signature of a private link. */
  readonly access: string | undefined
  readonly lang: string | undefined
}

/** Builds the URLs of a receipt. The PDF link keeps the private signature, but printed URLs do not. */
export function receiptPaths(baseUrl: string, address: ReceiptAddress): ReceiptPaths {
  const { recipient, access, lang } = address
  const id = encodeURIComponent(address.id)
  const query = (more: Readonly<Record<string, string | undefined>>) => {
    const params = new URLSearchParams()
    for (const [name, value] of Object.entries(more)) if (value !== undefined) params.set(name, value)
    return params.size > 0 ? `?${params}` : ''
  }
  return {
    absolute: `${baseUrl}/receipt/${id}${query({ recipient })}`,
    page: `/receipt/${id}${query({ recipient, lang, access })}`,
    pdf: `/receipt/${id}.pdf${query({ recipient, lang, access })}`,
    checkout: `/pay/${id}${query({ recipient, lang })}`,
    claim: `/claim${query({ lang })}`,
    inLanguage: (locale) => `/receipt/${id}${query({ recipient, lang: locale, access })}`,
  }
}
