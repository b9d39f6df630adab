import { html, type SafeHtml } from '@remix-run/html-template'
import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { dateAfter, maxQty } from '../cart/cart.ts'
import { icon, merchantText } from '../html/parts.ts'
import { attributeRows, isOrderable, priceText, soldAs, stockText } from './offer.ts'
import { pictureOf, pictureOrArt } from './picture.ts'
import { chips, productPath } from './product-entry.ts'
import type { StoreContext } from './store-context.ts'
import { storeDocument } from './store-document.ts'

export const apiErrors = ['sold-out', 'cannot-sell', 'dates', 'quantity', 'full'] as const

export type ProductAsk = {
  readonly arrival: string
  readonly departure: string
  readonly refused: (typeof apiErrors)[number] | undefined
}

export function productPage(context: StoreContext, product: ProductView, ask: ProductAsk): SafeHtml {
  const { shop, t, pathTo } = context
  const { category } = product
  const rows = attributeRows(product, 40)
  const stock = stockText(context, product)
  const picture = pictureOf(context, product)
  return storeDocument(context, {
    title: t.text('store.title', { page: product.name, name: shop.name }),
    skip: { id: 'product', text: t.text('store.skip-product') },
    warned:
      ask.refused &&
      html`<p>${t.html(`store.refused.${ask.refused}`, { name: merchantText(product.name), most: maxQty })}</p>`,
    about: {
      url: shop.baseUrl + productPath({ pathTo: plainPath(shop.slug) }, product),
      description: product.description,
      image: picture && shop.baseUrl + picture.url,
    },
    body: html`
<main class="wide">
<nav class="trail" aria-label="${t.text('store.trail')}"><ol><li><a href="${pathTo()}">${icon('back')}${merchantText(shop.name)}</a></li>${category ? html`<li><a href="${pathTo('', { category })}">${merchantText(category)}</a></li>` : null}</ol></nav>
<article class="product" id="product" tabindex="-1">
${gallery(context, product)}
<div class="product-words">
<h1>${merchantText(product.name)}</h1>
<p class="price">${priceText(context, product)}</p>
${stock ? html`<p class="stock${stock.isGone ? ' gone' : ''}">${stock.text}</p>` : product.stockQty > 0 ? html`<p class="stock good">${t.text('store.stock.some')}</p>` : null}
${isOrderable(context, product) ? orderForm(context, product, ask) : null}
${shop.canSell ? null : html`<p class="banner">${t.html('store.cannot-sell', { name: merchantText(shop.name) })}</p>`}
${product.description.trim() ? html`<p class="description"><bdi>${product.description}</bdi></p>` : null}
${rows.length > 0 ? html`<dl class="attributes">${rows.map(({ term, value }) => html`<div><dt>${merchantText(term)}</dt><dd>${merchantText(value)}</dd></div>`)}</dl>` : null}
${chips(product)}
</div></article>
</main>`,
  })
}

function gallery(context: StoreContext, product: ProductView): SafeHtml {
  const { t } = context
  const pictures = product.images.flatMap((_, i) => pictureOf(context, product, i) ?? [])
  const sizes = '(min-width: 860px) 520px, 100vw'
  if (pictures.length < 2)
    return html`<div class="gallery">${pictureOrArt(pictures[0], product.name, { className: 'picture', sizes, isFirst: true })}</div>`
  return html`<div class="gallery many" role="group" tabindex="0" aria-label="${t.text('store.pictures', { count: pictures.length, name: product.name })}">${pictures.map((picture, i) => pictureOrArt(picture, product.name, { className: 'picture', sizes, isFirst: i === 0 }))}</div>`
}

function orderForm(
  context: StoreContext,
  product: ProductView,
  { arrival, departure }: ProductAsk,
): SafeHtml {
  const { shop, t, pathTo, now } = context
  const sold = soldAs(shop, product)
  const { pack } = shop
  const most = product.stockQty > 0 ? Math.min(product.stockQty, maxQty) : maxQty
  const dates = html`<p class="field"><label for="arrival">${t.text('store.arrival')}</label><input type="date" id="arrival" name="arrival" required min="${dateAfter(now, 0)}" value="${arrival}"></p>
<p class="field"><label for="departure">${t.text('store.departure')}</label><input type="date" id="departure" name="departure" required min="${dateAfter(now, 1)}" value="${departure}"></p>`
  const quantity = html`<p class="field narrow"><label for="qty">${t.text('store.quantity', { sold })}</label><input type="number" id="qty" name="qty" value="1" min="1" max="${sold === 'night' ? 9 : most}" inputmode="numeric" required></p>`
  return html`<form class="order" method="post" action="${pathTo('cart')}" data-cart${sold === 'night' ? html` data-dates` : null}>
<input type="hidden" name="add" value="${product.id}">
${sold === 'night' ? dates : null}${sold === 'booking' ? null : quantity}
<button class="button wide">${t.text('store.add-to', { pack })}</button>
${sold === 'night' ? html`<p class="dim told">${t.html('store.dates.confirm', { name: merchantText(shop.name) })}</p>` : null}
</form>`
}

/** Canonical path for search engines, in the shop's own language. */
function plainPath(slug: string): StoreContext['pathTo'] {
  return (part = '') => (part === '' ? `/shop/${slug}` : `/shop/${slug}/${encodeURIComponent(part)}`)
}
