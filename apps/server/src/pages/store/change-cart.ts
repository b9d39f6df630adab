import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { addLine, type Cart, type CartLine, maxQty, readStay, setQty } from '../cart/cart.ts'
import type { PageResponse } from '../html/page-handler.ts'
import type { Form } from '../html/read-form.ts'
import { soldAs } from './offer.ts'
import { productPath } from './product-entry.ts'
import type { apiErrors } from './product-page.ts'
import { textOf } from './read-catalogue.ts'
import type { StoreContext } from './store-context.ts'
import { storeResponse } from './store-document.ts'
import type { Stores } from './stores.ts'
import { readPlace } from './tax-places.ts'

/** Applies a form: adds a product, cancels an order or changes quantities. Redirects to the cart. */
export async function changeCart(stores: Stores, context: StoreContext, form: Form): Promise<PageResponse> {
  const added = form.get('add')
  if (added !== undefined) return addToCart(stores, context, form, added)
  const { openOrder } = context
  if (openOrder && form.get('cancel') === openOrder.id) {
    await stores.cancelOrder(context.shop, openOrder.id)
    return { redirect: context.pathTo('cart') }
  }
  const own = await stores.listTaxPlaces(context.shop.merchant)
  const cart = editCart(context, form, own)
  return { redirect: context.pathTo('cart'), headers: context.keep(cart) ?? {} }
}

/** Applies the form's quantities and tax place to the cart. Ignores invalid quantities. */
export function editCart({ cart, newToken }: StoreContext, form: Form, ownPlaces: readonly string[]): Cart {
  const removed = form.get('remove')
  let edited = cart
  for (const name of form.names()) {
    if (!name.startsWith('qty:')) continue
    const key = name.slice(4)
    const qty = key === removed ? 0 : readQty(form.get(name))
    if (qty !== undefined) edited = setQty(edited, key, qty, newToken())
  }
  if (removed !== undefined) edited = setQty(edited, removed, 0, newToken())
  const place = readPlace(form.get('place'), ownPlaces)
  if (form.get('place') === undefined || place === edited.place) return edited
  const order = edited.order && { ...edited.order, isOfThis: false }
  return { ...edited, place, token: newToken(), order }
}

async function addToCart(
  stores: Stores,
  context: StoreContext,
  form: Form,
  id: string,
): Promise<PageResponse> {
  const { shop, cart, pathTo } = context
  const product = await stores.findProduct(shop.merchant, id)
  if (!product) return storeResponse(context, 'not-found')
  const line = readLine(context, product, form)
  if (typeof line === 'string') return refuse(context, product, form, line)
  const isThere = cart.lines.some(({ productId }) => productId === product.id)
  if (isThere && soldAs(shop, product) === 'booking')
    return { redirect: pathTo('cart', { added: product.id }) }
  const after = addLine(cart, line, context.newToken())
  const headers = after && context.keep(after)
  if (!headers) return refuse(context, product, form, 'full')
  return { redirect: pathTo('cart', { added: product.id }), headers }
}

type Refused = (typeof apiErrors)[number]

function readLine(
  { shop, now }: StoreContext,
  product: ProductView,
  form: Form,
): CartLine | Exclude<Refused, 'full'> {
  if (!shop.canSell) return 'cannot-sell'
  if (product.stockQty === 0) return 'sold-out'
  const sold = soldAs(shop, product)
  const stay = sold === 'night' ? readStay(form.get('arrival'), form.get('departure'), now) : undefined
  if (sold === 'night' && !stay) return 'dates'
  const qty = sold === 'booking' ? 1 : readQty(form.get('qty') ?? '1')
  if (!qty) return 'quantity'
  return { productId: product.id, qty, stay }
}

/** Redirects to the product page with the submitted values and the reason for the rejection. */
function refuse(context: StoreContext, product: ProductView, form: Form, refused: Refused): PageResponse {
  const [arrival, departure] = [textOf(form.get('arrival'), 10), textOf(form.get('departure'), 10)]
  return { redirect: productPath(context, product, { arrival, departure, refused }) }
}

/** Parses a quantity, limited to `maxQty`. Returns `undefined` if it is not a number. */
function readQty(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? ''
  return /^\d{1,4}$/.test(trimmed) ? Math.min(Number(trimmed), maxQty) : undefined
}
