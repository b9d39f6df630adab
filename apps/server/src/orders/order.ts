import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type TaxRate, taxOn } from '../pricing/taxes/tax-rate.ts'

export type OrderItem = {
  readonly productId: string
  readonly sku: string
  readonly name: string
  readonly qty: bigint
  readonly unitCents: Cents
  readonly taxable: boolean
}

export type OrderTotals = {
  readonly subtotalCents: Cents
  readonly taxableCents: Cents
  readonly taxCents: Cents
  readonly totalCents: Cents
}

export type OrderTax = TaxRate & { readonly jurisdictionCode: string }

export type Order = OrderTotals & {
  readonly merchant: Wallet
  readonly id: ReceiptId
  readonly items: readonly OrderItem[]
  readonly tax: OrderTax
  /** State of the counted stock. Absent if no product is counted. */
  readonly stock: 'reserved' | 'committed' | 'released' | undefined
  /** Stock that was sold before the order was paid. */
  readonly missing: readonly { readonly productId: string; readonly qty: bigint }[]
  readonly createdAt: UnixMs
}

export function itemCents({ unitCents, qty }: Pick<OrderItem, 'unitCents' | 'qty'>): Cents {
  return (unitCents * qty) as Cents
}

/** Computes the totals. Rounds the tax once, on the taxable subtotal, half away from zero. */
export function totalOrder(items: readonly OrderItem[], rate: TaxRate['rate']): OrderTotals {
  const subtotalCents = sum(items)
  const taxableCents = sum(items.filter((item) => item.taxable))
  const taxCents = taxOn(taxableCents, rate)
  return { subtotalCents, taxableCents, taxCents, totalCents: (subtotalCents + taxCents) as Cents }
}

function sum(items: readonly OrderItem[]): Cents {
  return items.reduce((total, item) => total + itemCents(item), 0n) as Cents
}
