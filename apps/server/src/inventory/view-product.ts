import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { writeCents } from '@sluice/protocol/money.ts'
import type { Product } from './product.ts'

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
