import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'

/** So many of a product; with a stay, so many rooms for its nights. */
export type CartLine = {
  readonly productId: string
  readonly qty: number
  readonly stay: Stay | undefined
}

/** What a visitor has chosen in one shop. It is the visitor's own: prices and stock are never read from it. */
export type Cart = {
  /** Stands for this content: another content has another token. */
  readonly token: string
  readonly lines: readonly CartLine[]
  /** Where the buyer is taxed, as chosen. */
  readonly place: string | undefined
  /** The order that was made of it, or of what it was before. */
  readonly order: { readonly id: ReceiptId; readonly isOfThis: boolean } | undefined
}

/** As many lines as a cart has at most. */
export const maxLines = 50

/** As many of one line as can be ordered at once. */
export const maxQty = 999

/** A cart of nothing. */
export function emptyCart(token: string): Cart {
  return { token, lines: [], place: undefined, order: undefined }
}

/** What tells the lines of a cart apart. */
export function keyOf({ productId, stay }: Pick<CartLine, 'productId' | 'stay'>): string {
  return stay ? `${productId}*${stay.arrival}*${stay.departure}` : productId
}

/** How many things are in a cart. */
export function countOf(cart: Cart): number {
  return cart.lines.reduce((count, { qty }) => count + qty, 0)
}

/** A cart with a line more; one that is there already grows by it. `undefined` where the cart is full. */
export function addLine(cart: Cart, added: CartLine, token: string): Cart | undefined {
  const key = keyOf(added)
  const there = cart.lines.find((line) => keyOf(line) === key)
  if (!there) return cart.lines.length < maxLines ? withLines(cart, [...cart.lines, added], token) : undefined
  return setQty(cart, key, Math.min(there.qty + added.qty, maxQty), token)
}

/** A cart with another quantity of a line; 0 takes it out. */
export function setQty(cart: Cart, key: string, qty: number, token: string): Cart {
  const lines = cart.lines.flatMap((line) => {
    if (keyOf(line) !== key) return [line]
    return qty > 0 ? [{ ...line, qty: Math.min(qty, maxQty) }] : []
  })
  return withLines(cart, lines, token)
}

/** A cart with these lines. Its order, if any, is no longer that of its content. */
export function withLines(cart: Cart, lines: readonly CartLine[], token: string): Cart {
  const isSame = lines.length === cart.lines.length && lines.every((line, i) => isAlike(line, cart.lines[i]))
  if (isSame) return cart
  return { ...cart, lines, token, order: cart.order && { ...cart.order, isOfThis: false } }
}

function isAlike(a: CartLine, b: CartLine | undefined): boolean {
  return b !== undefined && a.qty === b.qty && keyOf(a) === keyOf(b)
}

/** Nights in a room: ISO dates, the departure after the arrival. */
export type Stay = { readonly arrival: string; readonly departure: string }

const dayMs = 86_400_000
const maxNights = 60
const maxAheadDays = 730

/** How many nights a stay has. */
export function nightsOf({ arrival, departure }: Stay): number {
  return (dayOf(departure) ?? 0) - (dayOf(arrival) ?? 0)
}

/**
 * The stay of two dates as a form sends them; `undefined` for what is none: no dates, the wrong way round, past, too
 * long or too far ahead. It is still today somewhere for a while after midnight UTC.
 */
export function readStay(
  arrival: string | undefined,
  departure: string | undefined,
  now: number,
): Stay | undefined {
  const from = dayOf(arrival ?? '')
  const to = dayOf(departure ?? '')
  if (from === undefined || to === undefined || arrival === undefined || departure === undefined)
    return undefined
  const today = Math.floor(now / dayMs)
  const isTimely = from >= today - 1 && from <= today + maxAheadDays
  return isTimely && to > from && to - from <= maxNights ? { arrival, departure } : undefined
}

/** The date so many days after a moment, in UTC. */
export function dateAfter(now: number, days: number): string {
  return new Date((Math.floor(now / dayMs) + days) * dayMs).toISOString().slice(0, 10)
}

/** What an order's line says of a stay, in every language. */
export function noteOf({ arrival, departure }: Stay): string {
  return `${arrival} – ${departure}`
}

/** The days since 1970 of an ISO date that exists. */
function dayOf(date: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined
  const ms = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date ? undefined : ms / dayMs
}
