import { isMadeReceiptId, parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isProductId } from '../../inventory/product.ts'
import { type Cart, type CartLine, emptyCart, keyOf, maxLines, maxQty } from './cart.ts'

const name = 'cart'
const keepSeconds = 30 * 86_400
/** Browsers limit a cookie to 4,096 bytes, including its name and attributes. */
const maxBytes = 3_800

/**
 * Returns the cart in the request's cookies, or an empty cart. Drops invalid lines.
 *
 * @param freshToken - Token to use if the request contains no cart.
 */
export function readCart(cookies: string | undefined, freshToken: string): Cart {
  const sent = (cookies ?? '').split(';').find((cookie) => cookie.trim().startsWith(`${name}=`))
  const [token = '', place = '', order = '', ...rest] = (sent ?? '')
    .trim()
    .slice(name.length + 1)
    .split('!')
  if (!/^[\w-]{16,32}$/.test(token)) return emptyCart(freshToken)
  const lines = new Map<string, CartLine>()
  for (const text of rest.slice(0, maxLines)) {
    const line = readLine(text)
    if (line) lines.set(keyOf(line), line)
  }
  return {
    token,
    lines: [...lines.values()],
    place: /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/.test(place) ? place : undefined,
    order: readOrder(order),
  }
}

/**
 * Returns the `Set-Cookie` value for a cart, or `undefined` if the cart exceeds the size limit.
 *
 * The cookie is scoped to the shop's path, and is `HttpOnly` and `SameSite`.
 */
export function writeCart(cart: Cart, slug: string, isSecure: boolean): string | undefined {
  const order = cart.order ? `${cart.order.id}${cart.order.isOfThis ? '' : '~'}` : ''
  const lines = cart.lines.map(({ qty, ...line }) => `${qty}*${keyOf(line)}`)
  const value = [cart.token, cart.place ?? '', order, ...lines].join('!')
  if (value.length > maxBytes) return undefined
  const isEmpty = cart.lines.length === 0 && !cart.order && cart.place === undefined
  const age = isEmpty ? 0 : keepSeconds
  return `${name}=${isEmpty ? '' : value}; Path=/shop/${slug}; Max-Age=${age}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

function readLine(text: string): CartLine | undefined {
  const [qtyText = '', productId = '', arrival, departure, ...more] = text.split('*')
  const qty = /^[1-9]\d{0,2}$/.test(qtyText) ? Number(qtyText) : 0
  if (qty === 0 || qty > maxQty || !isProductId(productId) || more.length > 0) return undefined
  if (arrival === undefined) return { productId, qty, stay: undefined }
  // The dates are compared with the current date only when the cart is shown.
  const isStay = [arrival, departure].every((date) => /^\d{4}-\d{2}-\d{2}$/.test(date ?? ''))
  return isStay ? { productId, qty, stay: { arrival, departure: departure ?? '' } } : undefined
}

function readOrder(text: string): Cart['order'] {
  const isOfThis = !text.endsWith('~')
  const id = parseReceiptId(isOfThis ? text : text.slice(0, -1))
  return id && isMadeReceiptId(id) ? { id, isOfThis } : undefined
}
