import { html, type SafeHtml } from '@remix-run/html-template'
import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import type { Stay } from '../cart/cart.ts'
import { icon, merchantText } from '../html/parts.ts'
import { productEntry } from './product-entry.ts'
import type { StoreContext } from './store-context.ts'
import type { StoreSection } from './stores.ts'

export const pageSize = 24

export type Layout =
  | { readonly kind: 'list'; readonly hasLead: boolean }
  | {
      readonly kind: 'sections' | 'rails'
      readonly hasLead: boolean
      readonly room: { readonly sections: number; readonly products: number }
    }

/**
 * Returns the layout for an arrangement. A menu always has sections, each with as many products as a page
 * allows.
 */
export function layoutOf({ arrangement, pack }: StoreContext['shop']): Layout {
  const hasLead = arrangement === 'featured_first'
  if (arrangement === 'carousel') return { kind: 'rails', hasLead, room: { sections: 10, products: 12 } }
  if (pack === 'restaurant') return { kind: 'sections', hasLead, room: { sections: 20, products: 40 } }
  if (arrangement === 'groups') return { kind: 'sections', hasLead, room: { sections: 12, products: 8 } }
  return { kind: 'list', hasLead }
}

export function shelf(
  context: StoreContext,
  products: readonly ProductView[],
  options: { lead?: ProductView | undefined; stay?: Stay | undefined; isFirst?: boolean } = {},
): SafeHtml {
  const { lead, stay, isFirst = true } = options
  const others = products.filter((product) => product.id !== lead?.id)
  return html`<ul class="shelf ${context.shop.pack} ${context.shop.arrangement}">${
    lead ? productEntry(context, lead, { isLead: true, isFirst: true, stay }) : null
  }${others.map((product, i) => productEntry(context, product, { stay, isFirst: isFirst && !lead && i < 4 }))}</ul>`
}

export function sections(
  context: StoreContext,
  found: readonly StoreSection[],
  stay: Stay | undefined,
): SafeHtml {
  return html`${found.map(
    (
      section,
      i,
    ) => html`<section class="section" id="section-${i + 1}" aria-labelledby="section-${i + 1}-name">
${sectionHead(context, section, `section-${i + 1}-name`)}
${shelf(context, section.products, { stay, isFirst: i === 0 })}</section>`,
  )}`
}

/**
 * Renders a horizontally scrolling row per category, operable by touch, arrow keys and buttons.
 *
 * Works without scripts and styles as a plain list.
 */
export function rails(
  context: StoreContext,
  found: readonly StoreSection[],
  stay: Stay | undefined,
): SafeHtml {
  const { t } = context
  return html`${found.map((section, i) => {
    const name = section.category ?? t.text('store.other', { pack: context.shop.pack })
    const id = `rail-${i + 1}`
    return html`<section class="section rail" aria-labelledby="${id}-name">
<div class="rail-head">${sectionHead(context, section, `${id}-name`)}<p class="rail-moves scripted"><button type="button" class="round" data-move="-1" aria-controls="${id}" aria-label="${t.text('store.rail.back', { name })}">${icon('back')}</button><button type="button" class="round" data-move="1" aria-controls="${id}" aria-label="${t.text('store.rail.on', { name })}">${icon('on')}</button></p></div>
<div class="track" id="${id}" role="group" aria-label="${t.text('store.rail.name', { name })}" tabindex="0">${shelf(context, section.products, { stay, isFirst: i === 0 })}</div></section>`
  })}`
}

function sectionHead(
  { pathTo, shop, t }: StoreContext,
  { category, total, products }: StoreSection,
  id: string,
): SafeHtml {
  const name = category === undefined ? t.text('store.other', { pack: shop.pack }) : merchantText(category)
  const query = category === undefined ? { view: 'all' } : { category }
  const rest =
    total > products.length
      ? html`<a class="more" href="${pathTo('', query)}" aria-label="${t.text('store.see-all-of', { count: total, name: category ?? '' })}">${t.text('store.see-all', { count: total })}</a>`
      : null
  return html`<div class="section-head"><h2 id="${id}">${name}</h2>${rest}</div>`
}
