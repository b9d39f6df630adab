import { html, type SafeHtml } from '@remix-run/html-template'
import { maxQty, nightsOf } from '../cart/cart.ts'
import { icon, merchantText } from '../html/parts.ts'
import type { Correction, LoadedCart, LoadedLine } from './load-cart.ts'
import { soldAs } from './offer.ts'
import { pictureOf, pictureOrArt } from './picture.ts'
import { productPath } from './product-entry.ts'
import type { StoreContext } from './store-context.ts'
import { storeDocument } from './store-document.ts'
import { placeOptions } from './tax-places.ts'

/** Reasons to show the cart again instead of ordering. */
export const cartErrors = [
  'total-changed',
  'tax-added',
  'place-missing',
  'cannot-sell',
  'unavailable',
] as const

export type CartError = (typeof cartErrors)[number]

export type CartNews = {
  readonly added?: string | undefined
  readonly trouble?: CartError | undefined
}

export function cartPage(context: StoreContext, loaded: LoadedCart, news: CartNews): SafeHtml {
  const { shop, t } = context
  const { pack } = shop
  const name = t.text('store.cart.title', { pack })
  return storeDocument(
    { ...context, cart: loaded.cart },
    {
      title: t.text('store.title', { page: name, name: shop.name }),
      skip: { id: 'cart', text: t.text('store.skip-cart') },
      said: news.added === undefined ? undefined : addedText(context, news.added),
      warned: warnings(context, loaded, news),
      body: html`
<main class="wide">
<div class="page-head"><h1>${name}</h1></div>
<div id="cart" tabindex="-1">${loaded.lines.length > 0 ? filled(context, loaded, news) : empty(context)}</div>
</main>`,
    },
  )
}

function addedText({ t, pathTo, shop }: StoreContext, name: string): SafeHtml {
  return html`<p>${t.html('store.added', { name: merchantText(name), pack: shop.pack })} <a class="scripted" href="${pathTo('cart')}">${t.text('store.cart.see', { pack: shop.pack })}</a></p>`
}

function warnings(
  { t, shop }: StoreContext,
  { corrections }: LoadedCart,
  { trouble }: CartNews,
): SafeHtml | undefined {
  const texts = corrections.map((correction) => correctionText(t, correction, shop.pack))
  // If there are corrections, they already explain the missing stock.
  if (trouble && !(trouble === 'unavailable' && texts.length > 0))
    texts.push(t.html(`store.trouble.${trouble}`, { name: merchantText(shop.name) }))
  return texts.length > 0 ? html`${texts.map((text) => html`<p>${text}</p>`)}` : undefined
}

function correctionText(t: StoreContext['t'], correction: Correction, pack: string): SafeHtml {
  switch (correction.kind) {
    case 'gone':
      return t.html('store.corrected.gone', { pack })
    case 'fewer':
      return t.html('store.corrected.fewer', { name: merchantText(correction.name), count: correction.left })
    default:
      return t.html(`store.corrected.${correction.kind}`, { name: merchantText(correction.name) })
  }
}

function empty({ t, pathTo, shop, paidOrder }: StoreContext): SafeHtml {
  return html`<div class="empty">${icon('bag')}<p>${t.text(paidOrder ? 'store.paid' : 'store.cart.empty', { pack: shop.pack })}</p><p><a class="button" href="${pathTo()}">${t.text('store.cart.browse', { pack: shop.pack })}</a></p></div>`
}

function filled(context: StoreContext, loaded: LoadedCart, news: CartNews): SafeHtml {
  const { t, pathTo, openOrder, shop } = context
  const cents = String(Math.round(loaded.quote.totalUsd * 100))
  return html`${openOrder ? waiting(context, openOrder) : null}
<form method="post" action="${pathTo('cart')}" class="cart-form" data-cart-form>
<button class="hidden" formnovalidate name="update" value="1" tabindex="-1" aria-hidden="true">${t.text('store.update')}</button>
<input type="hidden" name="total" value="${cents}">
<ul class="lines">${loaded.lines.map((line) => cartLine(context, line))}</ul>
<section class="sums" aria-labelledby="sums"><h2 id="sums" class="hidden">${t.text('store.summary')}</h2>
${sums(context, loaded, news)}
${checkOut(context, loaded)}
<p class="scriptless"><button class="quiet wide" formnovalidate name="update" value="1">${t.text('store.update')}</button></p>
<p class="go-on"><a href="${pathTo()}">${t.text('store.cart.go-on', { pack: shop.pack })}</a></p>
</section></form>`
}

function waiting(
  { t, lang, pathTo }: StoreContext,
  { id, isOfThis }: { id: string; isOfThis: boolean },
): SafeHtml {
  const path = `/pay/${id}${lang ? `?lang=${lang}` : ''}`
  return html`<form class="waiting" method="post" action="${pathTo('cart')}"><p>${t.text(isOfThis ? 'store.waiting' : 'store.waiting-older')}</p><p class="choices"><a class="quiet" href="${path}">${t.text('store.waiting.go')}</a><button class="plain" name="cancel" value="${id}">${t.text('store.waiting.cancel')}</button></p></form>`
}

function cartLine(context: StoreContext, line: LoadedLine): SafeHtml {
  const { t, shop } = context
  const { product, stay, key, qty } = line
  const { name } = product
  const sold = soldAs(shop, product)
  const most = product.stockQty > 0 && !stay ? Math.min(product.stockQty, maxQty) : stay ? 9 : maxQty
  const unit = t.money(product.priceUsd, 'USD')
  const dates =
    stay &&
    t.html('store.stay', {
      arrival: t.date(stay.arrival),
      departure: t.date(stay.departure),
      nights: nightsOf(stay),
    })
  return html`<li class="line">${pictureOrArt(pictureOf(context, product), name, { className: 'thumb', sizes: '72px' })}
<div class="line-words"><p class="line-name"><a href="${productPath(context, product, stay)}">${merchantText(name)}</a></p>${dates ? html`<p class="dim">${dates}</p>` : null}${sold === 'booking' ? null : html`<p class="dim">${t.text(sold === 'night' ? 'store.each.night' : 'store.each', { unit })}</p>`}</div>
<p class="line-total">${t.money(line.totalUsd, 'USD')}</p>
<div class="line-change">${sold === 'booking' ? html`<input type="hidden" name="qty:${key}" value="1">` : html`<label>${sold === 'night' ? html`<span aria-hidden="true">${t.text('store.quantity', { sold })}</span>` : null}<span class="hidden">${t.text('store.quantity-of', { name, sold })}</span><input type="number" name="qty:${key}" value="${qty}" min="0" max="${Math.max(most, qty)}" inputmode="numeric" required></label>`}<button class="plain" formnovalidate name="remove" value="${key}" aria-label="${t.text('store.remove-named', { name })}">${t.text('store.remove')}</button></div></li>`
}

function sums(
  context: StoreContext,
  { quote, place, ownPlaces }: LoadedCart,
  { trouble }: CartNews,
): SafeHtml {
  const { t } = context
  const row = (term: string, usd: number, className = '') =>
    html`<div class="${className}"><dt>${term}</dt><dd>${t.money(usd, 'USD')}</dd></div>`
  const isMissing = trouble === 'place-missing'
  const picker = html`<p class="field"><label for="place">${t.text('store.place')}</label><select id="place" name="place" required${isMissing ? html` aria-invalid="true" aria-describedby="place-missing"` : null}>${placeOptions(t, ownPlaces, place)}</select>${isMissing ? html`<span class="wrong" id="place-missing">${t.text('store.place.missing')}</span>` : null}</p>`
  const hasTax = quote.isTaxable && place !== undefined
  return html`<dl class="rows">${row(t.text('store.subtotal'), quote.subtotalUsd)}</dl>
${quote.isTaxable ? picker : null}
<dl class="rows">${hasTax ? row(t.text('store.tax'), quote.taxUsd) : null}${quote.feeUsd > 0 ? row(t.text('store.fee'), quote.feeUsd) : null}${row(t.text(quote.isTaxable && !hasTax ? 'store.total-before-tax' : 'store.total'), quote.totalUsd, 'total')}</dl>`
}

function checkOut({ t, shop, pathTo }: StoreContext, { quote }: LoadedCart): SafeHtml {
  if (!shop.canSell)
    return html`<p class="banner">${t.html('store.cannot-sell', { name: merchantText(shop.name) })}</p>`
  if (quote.outside) {
    const { limit, usd } = quote.outside
    return html`<p class="banner">${t.text(`store.outside.${limit}`, { amount: t.money(usd, 'USD') })}</p>`
  }
  return html`<button class="button wide" formaction="${pathTo('checkout')}" data-checkout>${t.text('store.check-out', { pack: shop.pack })}</button>
<p class="dim small">${t.text('store.check-out.how')}</p>`
}
