import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

export type ProductStatus = 'active' | 'draft' | 'archived'

/** Checks the form of a product id, so that an invalid id needs no query. */
export function isProductId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$/.test(text)
}

/** Stored product. `id` and `sku` are each unique within the merchant. */
export type Product = ProductFields & {
  readonly merchant: Wallet
  readonly id: string
  readonly createdAt: UnixMs
  readonly updatedAt: UnixMs
}

/** Fields of a product that the merchant sets. */
export type ProductFields = {
  readonly sku: string
  readonly name: string
  readonly description: string
  readonly priceCents: Cents
  /** Available stock, without reservations, or {@link uncounted}. */
  readonly stock: bigint
  readonly taxable: boolean
  readonly category: string | undefined
  readonly tags: readonly string[]
  readonly images: readonly string[]
  readonly attributes: Readonly<Record<string, unknown>>
  /** Purchase cost. Never public. */
  readonly costCents: Cents | undefined
  readonly status: ProductStatus
}

/** Stock of a product without stock tracking. */
export const uncounted = -1n

/** Values for fields that a new product omits. */
export const defaultFields = {
  description: '',
  stock: uncounted,
  taxable: false,
  category: undefined,
  tags: [],
  images: [],
  attributes: {},
  costCents: undefined,
  status: 'active',
} as const satisfies Partial<ProductFields>

/** Changes of a product. An `undefined` value clears the field, a missing key leaves it unchanged. */
export type ProductChange = Partial<ProductFields>

/** Product to create or to change. Without an id, the sku identifies it. */
export type ProductPut = { readonly id: string | undefined } & ProductChange &
  Pick<ProductFields, 'sku' | 'name' | 'priceCents'>

export function changed(product: Product, change: ProductChange, now: UnixMs): Product {
  return { ...product, ...change, updatedAt: now }
}

export function viewProduct(product: Product): ProductView {
  const { costCents } = product
  return { ...viewPublicProduct(product), costUsd: costCents === undefined ? null : writeCents(costCents) }
}

/** Returns the view for buyers, which never contains the cost. */
export function viewPublicProduct(product: Product): ProductView {
  return {
    id: product.id,
    sku: product.sku,
    name: product.name,
    description: product.description,
    priceUsd: writeCents(product.priceCents),
    stockQty: Number(product.stock),
    taxable: product.taxable,
    category: product.category ?? null,
    tags: [...product.tags],
    images: [...product.images],
    attributes: product.attributes,
    status: product.status,
    createdAt: product.createdAt,
    updatedAt: product.updatedAt,
  }
}
