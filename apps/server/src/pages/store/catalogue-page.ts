import { html, type SafeHtml } from '@remix-run/html-template'
import { maxPublicTotal } from '../../inventory/list-products.ts'
import { dateAfter, nightsOf } from '../cart/cart.ts'
import { icon, merchantText } from '../html/parts.ts'
import type { Catalogue, CatalogueQuery } from './read-catalogue.ts'
import { rails, sections, shelf } from './shelves.ts'
import type { StoreContext } from './store-context.ts'
import { storeDocument } from './store-document.ts'

export function cataloguePage(context: StoreContext, catalogue: Catalogue): SafeHtml {
  const { shop, t, paidOrder } = context
  const { query } = catalogue
  const { cover, logo } = context.theme
  const preview = cover ?? logo
  const image = preview && shop.baseUrl + preview.url
  const heading = headingOf(context, catalogue)
  const isFront = heading === undefined
  return storeDocument(context, {
    title: heading === undefined ? shop.name : t.text('store.title', { page: heading, name: shop.name }),
    skip: { id: 'products', text: t.text('store.skip') },
    q: query.q,
    said: paidOrder && html`<p>${t.text('store.paid')}</p>`,
    about:
      isFront && !query.dates
        ? { url: `${shop.baseUrl}/shop/${shop.slug}`, description: shop.description, image }
        : undefined,
    body: html`
<main class="wide">
${isFront ? hero(context) : html`<div class="page-head"><h1>${merchantText(heading)}</h1>${foundText(catalogue.list?.total ?? 0, t)}</div>`}
${shop.canSell ? null : html`<p class="banner">${t.html('store.cannot-sell', { name: merchantText(shop.name) })}</p>`}
${shop.pack === 'hotel' ? datesForm(context, query) : null}
${categoryLinks(context, catalogue)}
<div id="products" tabindex="-1">${products(context, catalogue)}</div>
${isFront && shop.bio.trim() ? html`<section class="about" aria-labelledby="about"><h2 id="about">${t.html('store.about', { name: merchantText(shop.name) })}</h2><p><bdi>${shop.bio}</bdi></p></section>` : null}
</main>`,
  })
}

/** Public totals are capped at 1,000, so a capped count is not shown. */
function foundText(count: number, t: StoreContext['t']): SafeHtml | null {
  return count < maxPublicTotal ? html`<p class="dim">${t.text('store.found', { count })}</p>` : null
}

function headingOf({ t, shop }: StoreContext, { query }: Catalogue): string | undefined {
  const { q, category, tag } = query
  if (q) return t.text('store.results', { q })
  if (category) return category
  if (tag) return tag
  return query.isAll || query.cursor ? t.text('store.all', { pack: shop.pack }) : undefined
}

function hero({ shop, theme, t }: StoreContext): SafeHtml {
  const { description, pointsPerDollar } = shop
  const { cover, heroFontSize } = theme
  return html`<section class="hero ${heroFontSize}${cover ? ' covered' : ''}">
${cover ? html`<img class="cover" src="${cover.url}" srcset="${cover.srcset}" sizes="(min-width: 1160px) 1128px, 100vw" alt="" fetchpriority="high" decoding="async">` : null}
<div class="hero-words"><h1>${merchantText(shop.name)}</h1>
${description.trim() ? html`<p class="lede"><bdi>${description}</bdi></p>` : null}
${pointsPerDollar > 0 ? html`<p class="points">${icon('spark')}<span>${t.text('store.points', { points: pointsPerDollar })}</span></p>` : null}</div>
</section>`
}

/** Renders the form for arrival and departure, which determine a hotel's room prices. */
function datesForm(
  { t, shop, now, lang }: StoreContext,
  { stay, dates, q, category }: CatalogueQuery,
): SafeHtml {
  const hidden = Object.entries({ q, category, lang })
  const [today, tomorrow] = [dateAfter(now, 0), dateAfter(now, 1)]
  const reported = stay
    ? t.text('store.nights', { nights: nightsOf(stay) })
    : t.text(dates ? 'store.dates.wrong' : 'store.dates.hint')
  return html`<form class="dates" action="/shop/${shop.slug}" data-dates>${hidden.map(([name, value]) => (value ? html`<input type="hidden" name="${name}" value="${value}">` : null))}
<p class="field"><label for="arrival">${t.text('store.arrival')}</label><input type="date" id="arrival" name="arrival" required min="${today}" value="${dates?.arrival ?? ''}"></p>
<p class="field"><label for="departure">${t.text('store.departure')}</label><input type="date" id="departure" name="departure" required min="${tomorrow}" value="${dates?.departure ?? ''}"></p>
<button class="button">${t.text('store.dates.go')}</button>
<p class="told${dates && !stay ? ' wrong' : ''}">${reported}</p>
</form>`
}

function categoryLinks({ shop, t, pathTo }: StoreContext, { categories, query }: Catalogue): SafeHtml | null {
  if (categories.length < 2) return null
  const { stay, category } = query
  const dates = { arrival: stay?.arrival, departure: stay?.departure }
  const isEverything = !category && !query.q && !query.tag
  return html`<nav class="categories" aria-label="${t.text('store.categories')}"><ul>
<li><a href="${pathTo('', dates)}"${isEverything ? html` aria-current="page"` : null}>${t.text('store.all', { pack: shop.pack })}</a></li>
${categories.map(({ name, count }) => html`<li><a href="${pathTo('', { category: name, ...dates })}"${name === category ? html` aria-current="page"` : null}>${merchantText(name)} <span class="dim">${t.number(count)}</span></a></li>`)}</ul></nav>`
}

function products(
  context: StoreContext,
  { layout, list, sections: found, lead, query }: Catalogue,
): SafeHtml {
  const { shop, t, pathTo } = context
  const { stay } = query
  const isEmpty = list ? list.products.length === 0 : found.length === 0
  if (isEmpty) {
    const isWhole = !query.q && !query.category && !query.tag
    return html`<div class="empty"><p>${t.text(isWhole ? 'store.empty' : 'store.nothing-found')}</p>${isWhole ? null : html`<p><a class="button" href="${pathTo()}">${t.text('store.see-everything')}</a></p>`}</div>`
  }
  if (list) {
    const { q, category, tag } = query
    const dates = { arrival: stay?.arrival, departure: stay?.departure }
    const view = query.isAll ? 'all' : undefined
    const next = list.nextCursor && pathTo('', { q, category, tag, view, cursor: list.nextCursor, ...dates })
    return html`<h2 class="hidden">${t.text('store.products', { pack: shop.pack })}</h2>${shelf(context, list.products, { lead, stay })}
${next ? html`<p class="show-more"><a class="quiet" href="${next}">${t.text('store.show-more')}</a></p>` : null}`
  }
  const top = lead
    ? html`<h2 class="hidden">${t.text('store.featured')}</h2>${shelf(context, [], { lead, stay })}`
    : null
  return html`${top}${layout.kind === 'rails' ? rails(context, found, stay) : sections(context, found, stay)}`
}
