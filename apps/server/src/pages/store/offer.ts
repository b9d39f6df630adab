import { html, type SafeHtml } from '@remix-run/html-template'
import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { nightsOf, type Stay } from '../cart/cart.ts'
import type { StoreContext } from './store-context.ts'
import type { StoreShop } from './stores.ts'

/** Larger stocks are not shown as a number. */
const fewPieces = 5

/** Unit of sale: a piece, a night, or a booking. */
export type SoldAs = 'piece' | 'night' | 'booking'

/**
 * Returns the unit of sale. In a hotel, products tagged `extra` (such as breakfast) are sold by the piece.
 */
export function soldAs({ pack }: Pick<StoreShop, 'pack'>, product: Pick<ProductView, 'tags'>): SoldAs {
  if (pack === 'hotel') return product.tags.includes('extra') ? 'piece' : 'night'
  return pack === 'freelancer' ? 'booking' : 'piece'
}

export function isOrderable({ shop }: Pick<StoreContext, 'shop'>, product: ProductView): boolean {
  return shop.canSell && product.stockQty !== 0
}

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

/** Returns the stock notice, or `undefined` if stock is sufficient or not counted. */
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

/** Returns the attributes that can be shown as term and value. */
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
