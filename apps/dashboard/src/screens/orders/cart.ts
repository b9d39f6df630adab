import type { components } from '../../api/schema.d.ts'
import { centsOf } from '../../format/cents.ts'

type Product = components['schemas']['Product']

export type CartLine = { readonly product: Product; readonly qty: number }

const most = 1_000_000

/** Sets the quantity of a product, at most 1,000,000. Quantity 0 removes the line. */
export function withQty(cart: readonly CartLine[], product: Product, qty: number): readonly CartLine[] {
  const next = { product, qty: Math.min(most, qty) }
  if (qty <= 0) return cart.filter((line) => line.product.id !== product.id)
  if (!cart.some((line) => line.product.id === product.id)) return [...cart, next]
  return cart.map((line) => (line.product.id === product.id ? next : line))
}

export function qtyOf(cart: readonly CartLine[], { id }: Pick<Product, 'id'>): number {
  return cart.find((line) => line.product.id === id)?.qty ?? 0
}

/** Returns the subtotal and the taxable part of the subtotal, in US cents. */
export function sumOf(cart: readonly CartLine[]): { readonly subtotal: bigint; readonly taxable: bigint } {
  const cents = ({ product, qty }: CartLine) => centsOf(product.priceUsd) * BigInt(qty)
  const sum = (lines: readonly CartLine[]) => lines.reduce((total, line) => total + cents(line), 0n)
  return { subtotal: sum(cart), taxable: sum(cart.filter(({ product }) => product.taxable)) }
}
