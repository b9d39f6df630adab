import type { CreateOrderRequest as OrderFields, CreateReceiptRequest as ReceiptFields } from './wire.ts'

type Line = { label: string; qty?: number | undefined }

type NativeLines = {
  /** `amount` is the amount of the whole line, in the currency of the receipt. */
  lineItems: (Line & { amount: number; priceUsd?: undefined })[]
  /** Sum of the amounts, which is the default. */
  total?: number | undefined
  totalUsd?: undefined
}

type LegacyLines = {
  lineItems: (Line & { priceUsd: number; amount?: undefined })[]
  /** Sum of `priceUsd`, or of `priceUsd` × `qty`. */
  totalUsd: number
  total?: undefined
}

/** A receipt to create: all lines with `amount`, or all with `priceUsd` and a `totalUsd`. */
export type CreateReceiptRequest = Omit<ReceiptFields, 'lineItems' | 'total' | 'totalUsd'> &
  (NativeLines | LegacyLines)

/** One item of an order. `sku` and `id` may both be present if they name the same product. */
type OrderItem = { qty: number } & (
  | { sku: string; id?: string | undefined }
  | { id: string; sku?: string | undefined }
)

/** An order to create. Each item names a product by sku or id. */
export type CreateOrderRequest = Omit<OrderFields, 'items'> & { items: OrderItem[] }
