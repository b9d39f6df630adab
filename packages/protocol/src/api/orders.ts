import { type Static, Type } from 'typebox'
import { receiptStatuses } from '../receipt-status.ts'
import { displayStatus } from './receipts/display-status.ts'
import { maxLines, receiptListItem, receiptOptions } from './receipts/receipts.ts'
import { jurisdictionText } from './tax.ts'

const orderItem = Type.Object({
  sku: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Send either `sku` or `id`.' })),
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'The id of the product.' })),
  qty: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
})

export const createOrderRequest = Type.Object({
  items: Type.Array(orderItem, {
    maxItems: maxLines,
    description: 'Each item identifies a product by sku, by id, or by both if they match.',
  }),
  jurisdictionCode: Type.String({ maxLength: 8, description: jurisdictionText }),
  taxRate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'A fraction with at most six decimals.' }),
  ),
  taxComponents: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 24,
      description: 'Descriptive only.',
    }),
  ),
  ...receiptOptions,
})

export const createOrderResponse = Type.Object({
  ok: Type.Literal(true),
  id: Type.String(),
  receiptId: Type.String(),
  paymentUrl: Type.String(),
  status: Type.Literal('pending'),
  receipt: receiptListItem,
})

const orderFields = {
  id: Type.String(),
  receiptId: Type.String(),
  paymentUrl: Type.String(),
  status: Type.Enum([...receiptStatuses], { description: 'The status of the receipt.' }),
  displayStatus,
  items: Type.Array(
    Type.Object({
      productId: Type.String(),
      sku: Type.String(),
      name: Type.String(),
      qty: Type.Integer(),
      unitPriceUsd: Type.Number(),
      totalUsd: Type.Number(),
      taxable: Type.Boolean(),
    }),
  ),
  subtotalUsd: Type.Number(),
  taxableUsd: Type.Number({ description: 'The taxable part of the subtotal.' }),
  taxUsd: Type.Number(),
  totalUsd: Type.Number(),
  jurisdictionCode: Type.String(),
  taxRate: Type.Number(),
  taxComponents: Type.Array(Type.String()),
  taxFrom: Type.Enum(['request', 'merchant', 'catalog', 'none'], {
    description: 'The source of the rate; `none` if no item is taxable and no rate applies.',
  }),
  stock: Type.Union([Type.Enum(['reserved', 'committed', 'released']), Type.Null()], {
    description:
      '`committed`: sold; `released`: available to other orders again. Null if the stock of no product is tracked.',
  }),
  stockMissing: Type.Array(Type.Object({ productId: Type.String(), qty: Type.Integer() }), {
    description: 'Items that are out of stock because the order was paid after its stock was released.',
  }),
  createdAt: Type.Integer({ description: 'Unix milliseconds.' }),
  expiresAt: Type.Union([Type.Integer(), Type.Null()]),
  metadata: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  transactionId: Type.Union([Type.String(), Type.Null()]),
}

export const orderView = Type.Object(orderFields)

export const orderDetail = Type.Object({ ...orderFields, receipt: receiptListItem })

export const orderList = Type.Object({
  orders: Type.Array(orderView),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
})

export type CreateOrderRequest = Static<typeof createOrderRequest>
export type OrderView = Static<typeof orderView>
