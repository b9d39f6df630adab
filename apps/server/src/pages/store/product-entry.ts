import { html, type SafeHtml } from '@remix-run/html-template'
import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import type { Stay } from '../cart/cart.ts'
import { merchantText, sign } from '../html/parts.ts'
import { attributeRows, isOrderable, priceText, soldAs, stockText } from './offer.ts'
import { pictureOf, pictureOrArt } from './picture.ts'
import type { StoreContext } from './store-context.ts'

export type EntryPlace = {
  readonly isLead?: boolean
  /** True for products on the first screen, whose images are not lazy-loaded. */
  readonly isFirst?: boolean
  readonly stay?: Stay | undefined
}

export function productEntry(context: StoreContext, product: ProductView, place: EntryPlace = {}): SafeHtml {
  const { pack } = context.shop
  const className = place.isLead ? 'entry lead' : 'entry'
  if (pack === 'restaurant' && !place.isLead) return dish(context, product)
  if (pack === 'freelancer') return packageOf(context, product, className)
  const sizes = place.isLead ? '(min-width: 760px) 560px, 100vw' : '(min-width: 760px) 300px, 50vw'
  const stock = stockText(context, product)
  const kind = pack !== 'hotel' ? 'card' : soldAs(context.shop, product) === 'night' ? 'room' : 'room extra'
  return html`<li class="${className} ${kind}">
<div class="face">${pictureOrArt(pictureOf(context, product), product.name, { className: 'picture', sizes, isFirst: place.isFirst ?? false })}${stock ? html`<span class="badge-text${stock.isGone ? ' gone' : ''}">${stock.text}</span>` : null}</div>
<div class="words">${heading(context, product, place)}${
    place.isLead || pack === 'hotel' ? blurb(product) : null
  }${pack === 'hotel' ? facts(product) : null}</div>
<div class="deal"><p class="price">${priceText(context, product, place.stay)}</p>${action(context, product, place)}</div>
</li>`
}

/** Renders a dish without an image: name and price on one line, description below. */
function dish(context: StoreContext, product: ProductView): SafeHtml {
  const stock = stockText(context, product)
  return html`<li class="entry dish">
<div class="words">${heading(context, product, {})}${blurb(product)}${chips(product)}${stock ? html`<p class="stock${stock.isGone ? ' gone' : ''}">${stock.text}</p>` : null}</div>
<div class="deal"><p class="price">${priceText(context, product)}</p>${action(context, product, {})}</div>
</li>`
}

function packageOf(context: StoreContext, product: ProductView, className: string): SafeHtml {
  const picture = pictureOf(context, product)
  const stock = stockText(context, product)
  const rows = attributeRows(product, 8)
  const list = html`<ul class="ticks">${rows.map(({ term, value }) => html`<li>${sign('check')}<span><bdi>${term}</bdi> <strong><bdi>${value}</bdi></strong></span></li>`)}</ul>`
  return html`<li class="${className} package">${
    picture ? pictureOrArt(picture, product.name, { className: 'picture', sizes: '360px' }) : null
  }
<div class="words">${heading(context, product, {})}<p class="price">${priceText(context, product)}</p>${blurb(product)}${rows.length > 0 ? list : null}</div>
<div class="deal">${stock ? html`<p class="stock${stock.isGone ? ' gone' : ''}">${stock.text}</p>` : null}${action(context, product, {})}</div>
</li>`
}

function heading(context: StoreContext, product: ProductView, { stay }: EntryPlace): SafeHtml {
  return html`<h3><a href="${productPath(context, product, stay)}">${merchantText(product.name)}</a></h3>`
}

function blurb({ description }: ProductView): SafeHtml | null {
  return description.trim() ? html`<p class="blurb"><bdi>${description}</bdi></p>` : null
}

function facts(product: ProductView): SafeHtml | null {
  const rows = attributeRows(product, 4)
  if (rows.length === 0) return null
  return html`<ul class="chips">${rows.map(({ term, value }) => html`<li><bdi>${term}</bdi> <strong><bdi>${value}</bdi></strong></li>`)}</ul>`
}

/** Renders the tags that do not affect the layout. */
export function chips({ tags }: ProductView): SafeHtml | null {
  const shown = tags.filter((tag) => tag !== 'featured' && tag !== 'extra').slice(0, 6)
  if (shown.length === 0) return null
  return html`<ul class="chips">${shown.map((tag) => html`<li>${merchantText(tag)}</li>`)}</ul>`
}

/** Renders the button to add the product, or a link to its page if options are required. */
function action(context: StoreContext, product: ProductView, { stay, isLead }: EntryPlace): SafeHtml | null {
  const { shop, t } = context
  if (!isOrderable(context, product)) return null
  const sold = soldAs(shop, product)
  const { name } = product
  if (sold === 'night' && !stay)
    return html`<a class="add" href="${productPath(context, product, stay)}" aria-label="${t.text('store.choose-dates-of', { name })}">${t.text('store.choose-dates')}</a>`
  return html`<form method="post" action="${context.pathTo('cart')}" data-cart><input type="hidden" name="add" value="${product.id}">${
    stay
      ? html`<input type="hidden" name="arrival" value="${stay.arrival}"><input type="hidden" name="departure" value="${stay.departure}">`
      : null
  }<button class="add${isLead ? ' wide' : ''}" aria-label="${t.text('store.add-named', { name, sold })}">${t.text('store.add', { sold })}</button></form>`
}

/** Returns the product's path by id, or by sku if the id is a reserved page name. */
export function productPath(
  { pathTo }: Pick<StoreContext, 'pathTo'>,
  product: Pick<ProductView, 'id' | 'sku'>,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  return pathTo(['cart', 'checkout'].includes(product.id) ? product.sku : product.id, query)
}
