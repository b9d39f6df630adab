import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addLine,
  type Cart,
  type CartLine,
  countOf,
  emptyCart,
  keyOf,
  maxLines,
  maxQty,
  setQty,
} from './cart.ts'
import { readCart, writeCart } from './cart-cookie.ts'

const fresh = 'fresh-fresh-fresh-fr'
const productId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:~-]{0,40}$/)
const stay = fc.constantFrom(
  undefined,
  { arrival: '2026-03-01', departure: '2026-03-04' },
  { arrival: '2026-12-31', departure: '2027-01-02' },
)
const line = fc.record({ productId, qty: fc.integer({ min: 1, max: maxQty }), stay })
const cart: fc.Arbitrary<Cart> = fc.record({
  token: fc.stringMatching(/^[\w-]{16,32}$/),
  lines: fc.uniqueArray(line, { selector: keyOf, maxLength: maxLines }),
  place: fc.constantFrom(undefined, 'US-CA', 'DE'),
  order: fc.constantFrom(
    undefined,
    { id: 'R-00000000000000000000000000' as ReceiptId, isOfThis: true },
    {
      id: 'R-ZZZZZZZZZZZZZZZZZZZZZZZZZZ' as ReceiptId,
      isOfThis: false,
    },
  ),
})

test('a cart is read as it was written, whatever other cookies are sent', () => {
  fc.assert(
    fc.property(cart, (written) => {
      const cookie = writeCart(written, 'harbour', true)
      fc.pre(cookie !== undefined && !cookie.startsWith('cart=;'))
      const [sent] = cookie?.split(';') ?? []
      expect(readCart(`other=1; ${sent}; cb_auth_token=x`, fresh)).toEqual(written)
    }),
  )
})

test('what is written fits a cookie, or is not written', () => {
  fc.assert(
    fc.property(cart, (written) => {
      const cookie = writeCart(written, 'x'.repeat(48), true)
      if (cookie !== undefined) expect(Buffer.byteLength(cookie)).toBeLessThanOrEqual(4_096)
      else expect(JSON.stringify(written).length).toBeGreaterThan(3_000)
    }),
  )
})

test('no cookie, whatever is in it, is more than a cart can be', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `cart=${'a'.repeat(20)}!${text}`),
      ),
      (cookie) => {
        const read = readCart(cookie, fresh)
        expect(read.lines.length).toBeLessThanOrEqual(maxLines)
        expect(new Set(read.lines.map(keyOf)).size).toBe(read.lines.length)
        for (const { qty } of read.lines)
          expect(qty >= 1 && qty <= maxQty && Number.isInteger(qty)).toBe(true)
        expect(writeCart(read, 'harbour', false)).toMatch(/^cart=[\w!*.:~-]*; Path=\/shop\/harbour; /)
      },
    ),
  )
})

test('no script reads the cookie, no other site has it sent along, and over TLS nothing else carries it', () => {
  const coffee: CartLine = { productId: 'coffee', qty: 2, stay: undefined }
  const cart: Cart = { ...emptyCart(fresh), lines: [coffee] }
  const attributesOf = (isSecure: boolean) => writeCart(cart, 'harbour', isSecure)?.split('; ').slice(1)
  const attributes = ['Path=/shop/harbour', 'Max-Age=2592000', 'HttpOnly', 'SameSite=Lax']
  expect(attributesOf(false)).toEqual(attributes)
  expect(attributesOf(true)).toEqual([...attributes, 'Secure'])
})

test('a change of what is in a cart changes its token, and nothing else does', () => {
  const coffee: CartLine = { productId: 'coffee', qty: 2, stay: undefined }
  const one = addLine(emptyCart('first'), coffee, 'second')
  expect(one).toMatchObject({ token: 'second', lines: [coffee] })
  if (!one) return
  const ordered: Cart = { ...one, order: { id: 'R-00000000000000000000000000' as ReceiptId, isOfThis: true } }
  expect(setQty(ordered, 'coffee', 2, 'third')).toBe(ordered)
  expect(setQty(ordered, 'unknown', 5, 'third')).toBe(ordered)
  expect(setQty(ordered, 'coffee', 3, 'third')).toMatchObject({ token: 'third', order: { isOfThis: false } })
  expect(countOf(addLine(one, coffee, 'third') ?? one)).toBe(4)
})
