import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

/** Whether a product is sold, not yet, or no longer; orders know the active ones alone. */
export type ProductStatus = 'active' | 'draft' | 'archived'

/** Whether a text can be a product's id: what cannot is nobody's. */
export function isProductId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$/.test(text)
}

/** What a merchant sells. */
export type Product = ProductFields & {
  readonly merchant: Wallet
  readonly id: string
  readonly createdAt: UnixMs
  readonly updatedAt: UnixMs
}

/** What the merchant says of a product. */
export type ProductFields = {
  readonly sku: string
  readonly name: string
  readonly description: string
  readonly priceCents: Cents
  /** What can still be sold, what orders hold taken off; `uncounted` where nobody counts. */
  readonly stock: bigint
  readonly taxable: boolean
  readonly category: string | undefined
  readonly tags: readonly string[]
  readonly images: readonly string[]
  readonly attributes: Readonly<Record<string, unknown>>
  /** What it costs the merchant: never public. */
  readonly costCents: Cents | undefined
  readonly status: ProductStatus
}

/** The stock of a product that nobody counts (contract: Inventory, stockQty). */
export const uncounted = -1n

/** What a product has where its merchant says nothing. */
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

/**
 * Some fields of a product, as a caller gave them. A field that is there but `undefined` is emptied; one
 * that is not there stays.
 */
export type ProductChange = Partial<ProductFields>

/** A product put by `id`, by `sku`, or both. */
export type ProductPut = { readonly id: string | undefined } & ProductChange &
  Pick<ProductFields, 'sku' | 'name' | 'priceCents'>

/** `product` with what is given changed. Something archived that is put again is sold again. */
export function changed(product: Product, change: ProductChange, now: UnixMs): Product {
  return { ...product, ...change, updatedAt: now }
}

/** A product as its merchant sees it. */
export function viewProduct(product: Product): ProductView {
  const { costCents } = product
  return { ...viewPublicProduct(product), costUsd: costCents === undefined ? null : writeCents(costCents) }
}

/** A product as anybody may see it: nothing of its cost. */
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
