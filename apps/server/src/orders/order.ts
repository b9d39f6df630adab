import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type TaxRate, taxOn } from '../pricing/taxes/tax-rate.ts'

/** What was sold of one product, as it was when the order was made. */
export type OrderItem = {
  readonly productId: string
  readonly sku: string
  readonly name: string
  readonly qty: bigint
  readonly unitCents: Cents
  readonly taxable: boolean
}

/** What an order comes to. */
export type OrderTotals = {
  readonly subtotalCents: Cents
  /** The taxable part of the subtotal. */
  readonly taxableCents: Cents
  readonly taxCents: Cents
  readonly totalCents: Cents
}

/** How an order is taxed. */
export type OrderTax = TaxRate & { readonly jurisdictionCode: string }

/** A merchant's order. It has its receipt's id. */
export type Order = OrderTotals & {
  readonly merchant: Wallet
  readonly id: ReceiptId
  readonly items: readonly OrderItem[]
  readonly tax: OrderTax
  /** Where its counted stock is; absent where nothing in it is counted. */
  readonly stock: 'held' | 'taken' | 'given_back' | undefined
  /** What could not be taken any more: the order was paid after its stock had gone back on the shelf. */
  readonly missing: readonly { readonly productId: string; readonly qty: bigint }[]
  readonly createdAt: UnixMs
}

/** The extended price of an item. */
export function itemCents({ unitCents, qty }: Pick<OrderItem, 'unitCents' | 'qty'>): Cents {
  return (unitCents * qty) as Cents
}

/** Lines, then the tax on the taxable share, once and half away from zero, then the total. */
export function totalOrder(items: readonly OrderItem[], rate: TaxRate['rate']): OrderTotals {
  const subtotalCents = sum(items)
  const taxableCents = sum(items.filter((item) => item.taxable))
  const taxCents = taxOn(taxableCents, rate)
  return { subtotalCents, taxableCents, taxCents, totalCents: (subtotalCents + taxCents) as Cents }
}

function sum(items: readonly OrderItem[]): Cents {
  return items.reduce((total, item) => total + itemCents(item), 0n) as Cents
}
