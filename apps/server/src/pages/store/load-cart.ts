import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { type Cart, type CartLine, keyOf, nightsOf, noteOf, readStay, withLines } from '../cart/cart.ts'
import { soldAs } from './offer.ts'
import type { StoreContext } from './store-context.ts'
import type { StoreItem, StoreQuote, Stores } from './stores.ts'
import { readPlace } from './tax-places.ts'

export type LoadedLine = CartLine & {
  readonly key: string
  readonly product: ProductView
  /** Number of pieces, or number of nights times rooms. */
  readonly units: number
  readonly totalUsd: number
}

export type Correction =
  | { readonly kind: 'gone' }
  | { readonly kind: 'sold-out'; readonly name: string }
  | { readonly kind: 'fewer'; readonly name: string; readonly left: number }
  | { readonly kind: 'past'; readonly name: string }

export type LoadedCart = {
  readonly cart: Cart
  readonly lines: readonly LoadedLine[]
  readonly corrections: readonly Correction[]
  readonly quote: StoreQuote
  /** Tax place chosen by the buyer, or the merchant's default. */
  readonly place: string | undefined
  readonly ownPlaces: readonly string[]
}

/**
 * Loads the cart with current products. Removes products that are not for sale, and lowers quantities to the
 * stock.
 *
 * The stock reserved by the cart's own open order counts as available.
 */
export async function loadCart(stores: Stores, context: StoreContext): Promise<LoadedCart> {
  const { shop, cart, openOrder } = context
  const { merchant } = shop
  const [products, ownPlaces] = await Promise.all([
    findProducts(stores, context),
    stores.listTaxPlaces(merchant),
  ])
  const reservesStock = openOrder?.isOfThis === true
  const { lines, corrections } = correctLines(context, products, reservesStock)
  const place = readPlace(cart.place, ownPlaces) ?? ownPlaces[0]
  const { quote, isRefused } = await quoteAt(stores, context, lines, place)
  return {
    cart: withLines(cart, lines, context.newToken()),
    lines: lines.map((line) => loaded(line, products)),
    corrections,
    quote,
    place: isRefused ? undefined : place,
    ownPlaces,
  }
}

/** Converts lines to order items. Each room of a stay is one item with the nights as its quantity. */
export function itemsOf(lines: readonly CartLine[]): StoreItem[] {
  return lines.flatMap(({ productId: id, qty, stay }) =>
    stay
      ? Array.from({ length: qty }, () => ({ id, qty: nightsOf(stay), note: noteOf(stay) }))
      : [{ id, qty }],
  )
}

async function findProducts(
  stores: Stores,
  { shop, cart }: StoreContext,
): Promise<ReadonlyMap<string, ProductView>> {
  const ids = [...new Set(cart.lines.map(({ productId }) => productId))]
  const { products } = await stores.quote(
    shop.merchant,
    ids.map((id) => ({ id, qty: 1 })),
    undefined,
  )
  return new Map(products.flatMap((product) => (product ? [[product.id, product]] : [])))
}

function correctLines(
  { shop, cart, now }: StoreContext,
  products: ReadonlyMap<string, ProductView>,
  reservesStock: boolean,
): { lines: CartLine[]; corrections: Correction[] } {
  const corrections: Correction[] = []
  const left = new Map<string, number>()
  const lines: CartLine[] = []
  for (const line of cart.lines) {
    const product = products.get(line.productId)
    const sold = product && soldAs(shop, product)
    if (!product || (sold === 'night') !== (line.stay !== undefined)) {
      corrections.push({ kind: 'gone' })
      continue
    }
    const { name } = product
    if (line.stay && !readStay(line.stay.arrival, line.stay.departure, now)) {
      corrections.push({ kind: 'past', name })
      continue
    }
    const each = line.stay ? nightsOf(line.stay) : 1
    const stock =
      left.get(product.id) ?? (product.stockQty < 0 || reservesStock ? Infinity : product.stockQty)
    const asked = sold === 'booking' ? 1 : line.qty
    const qty = Math.min(asked, Math.floor(stock / each))
    left.set(product.id, stock - qty * each)
    if (qty === 0) corrections.push({ kind: 'sold-out', name })
    else if (qty < asked) corrections.push({ kind: 'fewer', name, left: qty })
    if (qty > 0) lines.push({ ...line, qty })
  }
  return { lines, corrections }
}

/** Ignores a tax place if the merchant has removed its rate. */
async function quoteAt(
  stores: Stores,
  { shop }: StoreContext,
  lines: readonly CartLine[],
  place: string | undefined,
): Promise<{ quote: StoreQuote; isRefused: boolean }> {
  const items = itemsOf(lines)
  try {
    return { quote: await stores.quote(shop.merchant, items, place), isRefused: false }
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'invalid_input')) throw error
    return { quote: await stores.quote(shop.merchant, items, undefined), isRefused: true }
  }
}

function loaded(line: CartLine, products: ReadonlyMap<string, ProductView>): LoadedLine {
  const product = products.get(line.productId)
  if (!product) throw new Error('each remaining line has a product')
  const units = line.qty * (line.stay ? nightsOf(line.stay) : 1)
  return {
    ...line,
    key: keyOf(line),
    product,
    units,
    totalUsd: (Math.round(product.priceUsd * 100) * units) / 100,
  }
}
