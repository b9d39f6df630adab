import { html, type SafeHtml } from '@remix-run/html-template'
import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { nightsOf, type Stay } from '../cart/cart.ts'
import type { StoreContext } from './store-context.ts'
import type { StoreShop } from './stores.ts'

/** What the catalogue says of more pieces than this is that there are some. */
const fewPieces = 5

/** How something is sold: piece by piece, by the night, or as a booking of one. */
export type SoldAs = 'piece' | 'night' | 'booking'

/** How a shop sells a product. A hotel's breakfast, tagged `extra`, is sold by the piece. */
export function soldAs({ pack }: Pick<StoreShop, 'pack'>, product: Pick<ProductView, 'tags'>): SoldAs {
  if (pack === 'hotel') return product.tags.includes('extra') ? 'piece' : 'night'
  return pack === 'freelancer' ? 'booking' : 'piece'
}

/** Whether somebody can order it now: there is stock, and a shop that can be paid. */
export function isOrderable({ shop }: Pick<StoreContext, 'shop'>, product: ProductView): boolean {
  return shop.canSell && product.stockQty !== 0
}

/** What it costs, and for how long; with a stay, what that comes to. */
export function priceText({ shop, t }: StoreContext, product: ProductView, stay?: Stay): SafeHtml {
  const price = t.money(product.priceUsd, 'USD')
  if (soldAs(shop, product) !== 'night') return html`<span class="amount">${price}</span>`
  const unit = (parts: readonly (string | SafeHtml)[]) => html`<span class="unit">${[...parts]}</span>`
  const amount = (parts: readonly (string | SafeHtml)[]) => html`<span class="amount">${[...parts]}</span>`
  if (!stay) return t.html('store.price.night', { price, unit, amount })
  const nights = nightsOf(stay)
  const total = t.money((Math.round(product.priceUsd * 100) * nights) / 100, 'USD')
  return t.html('store.price.stay', { total, nights, unit, amount })
}

/** What of its stock a visitor wants to know; `undefined` where there is enough, or nobody counts. */
export function stockText(
  { shop, t }: StoreContext,
  product: ProductView,
): { readonly text: string; readonly isGone: boolean } | undefined {
  const { stockQty } = product
  if (stockQty === 0) return { text: t.text('store.stock.none'), isGone: true }
  if (stockQty < 0 || stockQty > fewPieces) return undefined
  const sold = soldAs(shop, product)
  return { text: t.text('store.stock.few', { count: stockQty, sold }), isGone: false }
}

/** What a merchant says of a product beside its text, as far as it can be read as a term and a value. */
export function attributeRows(product: ProductView, limit: number): { term: string; value: string }[] {
  const rows: { term: string; value: string }[] = []
  for (const [term, value] of Object.entries(product.attributes)) {
    const text = plainValue(value)
    if (text && term.trim()) rows.push({ term: cut(term, 60), value: cut(text, 200) })
    if (rows.length === limit) break
  }
  return rows
}

function plainValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number') return String(value)
  if (!Array.isArray(value)) return undefined
  const parts = value
    .slice(0, 12)
    .flatMap((part) => plainValue(typeof part === 'object' ? undefined : part) ?? [])
  return parts.join(', ')
}

function cut(text: string, length: number): string {
  const signs = [...text]
  return signs.length > length ? `${signs.slice(0, length - 1).join('')}…` : text
}
