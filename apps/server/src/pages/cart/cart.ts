import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'

/** A product and its quantity. With a stay, the quantity is the number of rooms. */
export type CartLine = {
  readonly productId: string
  readonly qty: number
  readonly stay: Stay | undefined
}

/** A visitor's selection in one shop. Visitors can edit the cookie, so it never contains prices or stock. */
export type Cart = {
  /** Changes whenever the cart's content changes. */
  readonly token: string
  readonly lines: readonly CartLine[]
  readonly place: string | undefined
  /** Order created from this content, or from earlier content if `isOfThis` is false. */
  readonly order: { readonly id: ReceiptId; readonly isOfThis: boolean } | undefined
}

export const maxLines = 50

export const maxQty = 999

export function emptyCart(token: string): Cart {
  return { token, lines: [], place: undefined, order: undefined }
}

export function keyOf({ productId, stay }: Pick<CartLine, 'productId' | 'stay'>): string {
  return stay ? `${productId}*${stay.arrival}*${stay.departure}` : productId
}

export function countOf(cart: Cart): number {
  return cart.lines.reduce((count, { qty }) => count + qty, 0)
}

/** Adds a line, or increases its quantity if it exists. Returns `undefined` if the cart is full. */
export function addLine(cart: Cart, added: CartLine, token: string): Cart | undefined {
  const key = keyOf(added)
  const there = cart.lines.find((line) => keyOf(line) === key)
  if (!there) return cart.lines.length < maxLines ? withLines(cart, [...cart.lines, added], token) : undefined
  return setQty(cart, key, Math.min(there.qty + added.qty, maxQty), token)
}

/** Sets the quantity of a line. A quantity of 0 removes the line. */
export function setQty(cart: Cart, key: string, qty: number, token: string): Cart {
  const lines = cart.lines.flatMap((line) => {
    if (keyOf(line) !== key) return [line]
    return qty > 0 ? [{ ...line, qty: Math.min(qty, maxQty) }] : []
  })
  return withLines(cart, lines, token)
}

/** Replaces the lines. If they differ, the cart's order no longer matches its content. */
export function withLines(cart: Cart, lines: readonly CartLine[], token: string): Cart {
  const isSame = lines.length === cart.lines.length && lines.every((line, i) => isAlike(line, cart.lines[i]))
  if (isSame) return cart
  return { ...cart, lines, token, order: cart.order && { ...cart.order, isOfThis: false } }
}

function isAlike(a: CartLine, b: CartLine | undefined): boolean {
  return b !== undefined && a.qty === b.qty && keyOf(a) === keyOf(b)
}

/** Arrival and departure dates of a hotel stay, in ISO format. `departure` is after `arrival`. */
export type Stay = { readonly arrival: string; readonly departure: string }

const dayMs = 86_400_000
const maxNights = 60
const maxAheadDays = 730

export function nightsOf({ arrival, departure }: Stay): number {
  return (dayOf(departure) ?? 0) - (dayOf(arrival) ?? 0)
}

/**
 * Parses the arrival and departure dates of a form. Returns `undefined` if they are missing, reversed, in the
 * past, too far ahead or too far apart.
 *
 * For some hours after midnight UTC, yesterday's date is also accepted, because it is still today in other
 * time zones.
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

export function dateAfter(now: number, days: number): string {
  return new Date((Math.floor(now / dayMs) + days) * dayMs).toISOString().slice(0, 10)
}

export function noteOf({ arrival, departure }: Stay): string {
  return `${arrival} – ${departure}`
}

/** Returns the days since 1970-01-01, or `undefined` if the date does not exist. */
function dayOf(date: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined
  const ms = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date ? undefined : ms / dayMs
}
