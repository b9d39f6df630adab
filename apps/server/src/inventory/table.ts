import type { Cents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Product, ProductStatus } from './product.ts'

/** A row of `product`, as the driver gives it. */
export type ProductRow = {
  merchant: string
  id: string
  sku: string
  name: string
  description: string
  price_cents: bigint
  stock: bigint
  taxable: boolean
  category: string | null
  tags: string[]
  images: string[]
  attributes: Record<string, unknown>
  cost_cents: bigint | null
  status: string
  created_at: bigint
  updated_at: bigint
}

/** The product a row stands for. What the database holds was checked when it was written. */
export function fromRow(row: ProductRow): Product {
  return {
    merchant: row.merchant as Wallet,
    id: row.id,
    sku: row.sku,
    name: row.name,
    description: row.description,
    priceCents: row.price_cents as Cents,
    stock: row.stock,
    taxable: row.taxable,
    category: row.category ?? undefined,
    tags: row.tags,
    images: row.images,
    attributes: row.attributes,
    costCents: (row.cost_cents ?? undefined) as Cents | undefined,
    status: row.status as ProductStatus,
    createdAt: Number(row.created_at) as UnixMs,
    updatedAt: Number(row.updated_at) as UnixMs,
  }
}

/** Products as the columns that `unnest` reads them from; lists are JSON texts, since arrays do not nest. */
export function toColumns(products: readonly Product[]) {
  return [
    products.map(({ id }) => id),
    products.map(({ sku }) => sku),
    products.map(({ name }) => name),
    products.map(({ description }) => description),
    products.map(({ priceCents }) => priceCents),
    products.map(({ stock }) => stock),
    products.map(({ taxable }) => taxable),
    products.map(({ category }) => category ?? null),
    products.map(({ tags }) => JSON.stringify(tags)),
    products.map(({ images }) => JSON.stringify(images)),
    products.map(({ attributes }) => JSON.stringify(attributes)),
    products.map(({ costCents }) => costCents ?? null),
    products.map(({ status }) => status),
    products.map(({ createdAt }) => createdAt),
    products.map(({ updatedAt }) => updatedAt),
  ]
}
