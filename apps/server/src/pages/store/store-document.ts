import { html, type SafeHtml } from '@remix-run/html-template'
import { isLinkUrl } from '../../kernel/text/merchant-text.ts'
import { countOf } from '../cart/cart.ts'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument, type PageSummary } from '../html/html-document.ts'
import type { PageResponse } from '../html/page-handler.ts'
import { brandMark, icon, languageSwitch, merchantText } from '../html/parts.ts'
import type { StoreContext } from './store-context.ts'

export type StorePage = {
  readonly title: string
  readonly body: SafeHtml
  readonly skip: { readonly id: string; readonly text: string }
  readonly said?: SafeHtml | undefined
  readonly warned?: SafeHtml | undefined
  readonly about?: PageSummary | undefined
  readonly q?: string | undefined
}

export function storeDocument(context: StoreContext, page: StorePage): SafeHtml {
  const { shop, frame, theme, t, pathTo } = context
  return htmlDocument({
    ...frame,
    locale: t.locale,
    title: page.title,
    style: frame.assets.styles.store,
    scripts: [frame.assets.scripts.store],
    about: page.about,
    body: html`
<a class="skip" href="#${page.skip.id}">${page.skip.text}</a>
<header class="top"><div class="wide">
<a class="shop" href="${pathTo()}">${brandMark(theme, shop.name)}<span class="shop-name">${merchantText(shop.name)}</span></a>
${searchForm(context, page.q)}
${cartLink(context)}
</div></header>
<div class="toasts"><div role="status" id="say">${page.said}</div><div role="alert" id="warn">${page.warned}</div></div>
${page.body}
<footer class="foot"><div class="wide">
${linkList(context)}
<p>${t.html('store.foot', { name: merchantText(shop.name) })}</p>
${languageSwitch(t.locale, t.text('store.languages'), context.languageLink)}
</div></footer>`,
  })
}

function searchForm({ t, shop, lang }: StoreContext, q: string | undefined): SafeHtml {
  return html`<form class="search" role="search" action="/shop/${shop.slug}">${lang ? html`<input type="hidden" name="lang" value="${lang}">` : null}<label class="hidden" for="q">${t.text('store.search.label')}</label><input type="search" id="q" name="q" value="${q ?? ''}" maxlength="200" placeholder="${t.text('store.search.hint')}" autocomplete="off"><button aria-label="${t.text('store.search.go')}">${icon('search')}</button></form>`
}

/** Renders the cart link, which the script replaces from a newer document. */
export function cartLink({ cart, shop, t, pathTo }: StoreContext): SafeHtml {
  const count = countOf(cart)
  const { pack } = shop
  return html`<a class="cart-link" id="cart-link" href="${pathTo('cart')}" aria-label="${t.text('store.cart.link', { count, pack })}">${icon('bag')}<span class="cart-word">${t.text('store.cart.name', { pack })}</span>${count > 0 ? html`<span class="count" data-count="${t.number(count)}"></span>` : null}</a>`
}

function linkList({ shop }: StoreContext): SafeHtml | null {
  const links = shop.links.filter(({ url }) => isLinkUrl(url))
  if (links.length === 0) return null
  return html`<ul class="links">${links.map(
    ({ label, url }) =>
      html`<li><a href="${url}" rel="noopener noreferrer nofollow">${merchantText(label)}</a></li>`,
  )}</ul>`
}

const statusOf = { 'not-found': 404, 'sent-elsewhere': 403 } as const

export function storeResponse(context: StoreContext, why: keyof typeof statusOf): PageResponse {
  const { t, pathTo, shop } = context
  const title = t.text(`store.${why}.title`)
  const page = storeDocument(context, {
    title: t.text('store.title', { page: title, name: shop.name }),
    skip: { id: 'message', text: t.text('store.skip-message') },
    body: html`
<main class="wide" id="message" tabindex="-1"><div class="empty"><h1>${title}</h1><p>${t.text(`store.${why}.text`)}</p><p><a class="button" href="${pathTo()}">${t.text('store.see-everything')}</a></p></div></main>`,
  })
  return { status: statusOf[why], html: page, allow: { forms: true } }
}

export function noShopResponse(frame: PageFrame): PageResponse {
  const { t } = frame
  const title = t.text('store.no-shop.title')
  const page = htmlDocument({
    ...frame,
    locale: t.locale,
    title,
    style: frame.assets.styles.store,
    body: html`<main class="wide"><div class="empty"><h1>${title}</h1><p>${t.text('store.no-shop.text')}</p><p><a class="button" href="/">${t.text('site.unknown.home')}</a></p></div></main>`,
  })
  return { status: 404, html: page }
}
