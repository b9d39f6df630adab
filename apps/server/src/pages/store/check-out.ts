import { ApiError } from '../../kernel/api-error.ts'
import type { Cart } from '../cart/cart.ts'
import type { PageResponse } from '../html/page-handler.ts'
import type { Form } from '../html/read-form.ts'
import type { CartError } from './cart-page.ts'
import { editCart } from './change-cart.ts'
import { itemsOf, type LoadedCart, loadCart } from './load-cart.ts'
import type { StoreContext } from './store-context.ts'
import type { Stores } from './stores.ts'
import { readPlace } from './tax-places.ts'

/**
 * Creates an order from the cart and redirects to its checkout.
 *
 * Places an order only at a total that the buyer has seen; if the total has changed, shows the cart again.
 * Submitting the same cart twice creates one order.
 */
export async function checkOut(stores: Stores, context: StoreContext, form: Form): Promise<PageResponse> {
  const own = await stores.listTaxPlaces(context.shop.merchant)
  const edited = editCart(context, form, own)
  const here = { ...context, cart: edited, openOrder: edited.order?.isOfThis ? context.openOrder : undefined }
  const loaded = await loadCart(stores, here)
  if (loaded.lines.length === 0)
    return { redirect: context.pathTo('cart'), headers: context.keep(loaded.cart) ?? {} }
  const trouble = findCartError(loaded, form, readPlace(context.cart.place, own) ?? own[0])
  if (trouble) return showAgain(here, trouble)
  const { openOrder } = here
  if (openOrder && loaded.corrections.length === 0) return toPayment(context, loaded.cart, openOrder.id)
  try {
    const id = await stores.placeOrder(context.shop, {
      token: loaded.cart.token,
      items: itemsOf(loaded.lines),
      jurisdictionCode: loaded.quote.isTaxable ? loaded.place : undefined,
      metadata: metadataOf(context, loaded),
    })
    return toPayment(context, loaded.cart, id)
  } catch (error) {
    const why = error instanceof ApiError ? cartErrorOf[error.code] : undefined
    if (!why) throw error
    return showAgain(here, why)
  }
}

function findCartError(
  { quote, corrections, place }: LoadedCart,
  form: Form,
  placeBefore: string | undefined,
): CartError | undefined {
  if (corrections.length > 0) return 'unavailable'
  if (quote.isTaxable && place === undefined) return 'place-missing'
  if (quote.outside) return 'total-changed'
  const cents = Math.round(quote.totalUsd * 100)
  if (form.get('total') === String(cents)) return undefined
  return quote.isTaxable && place !== placeBefore ? 'tax-added' : 'total-changed'
}

const cartErrorOf: Readonly<Record<string, CartError>> = {
  split_required: 'cannot-sell',
  platform_recipient_not_configured: 'cannot-sell',
  inventory_item_not_found: 'unavailable',
  inventory_item_unavailable: 'unavailable',
}

/** Redirects to the cart with the form's changes and the reason. The cart page removes unavailable items. */
function showAgain({ cart, keep, pathTo }: StoreContext, trouble: CartError): PageResponse {
  return { redirect: pathTo('cart', { trouble }), headers: keep(cart) ?? {} }
}

/** Keeps the cart until the order is paid, for buyers who return without paying. */
function toPayment(context: StoreContext, cart: Cart, id: NonNullable<Cart['order']>['id']): PageResponse {
  const kept = { ...cart, order: { id, isOfThis: true } }
  const lang = context.lang ? `?lang=${context.lang}` : ''
  return { redirect: `/pay/${id}${lang}`, headers: context.keep(kept) ?? {} }
}

function metadataOf({ shop }: StoreContext, { lines }: LoadedCart): Record<string, unknown> {
  const stays = lines.flatMap(({ stay, product, qty }) =>
    stay ? [{ sku: product.sku, ...stay, rooms: qty }] : [],
  )
  return { storefront: shop.slug, ...(stays.length > 0 && { stays }) }
}
