import { bool, int8, json, optional, text, time } from '../platform/database/columns.ts'
import { table } from '../platform/database/table.ts'
import type { Product } from './product.ts'

/** How a product is stored. Its lists are JSON: arrays in rows of arrays do not nest. */
export const productTable = table<Product>('product', {
  merchant: text(),
  id: text(),
  sku: text(),
  name: text(),
  description: text(),
  priceCents: int8(),
  stock: int8(),
  taxable: bool(),
  category: optional(text()),
  tags: json(),
  images: json(),
  attributes: json(),
  costCents: optional(int8()),
  status: text(),
  createdAt: time(),
  updatedAt: time(),
})
