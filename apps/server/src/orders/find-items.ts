import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Product } from '../inventory/product.ts'
import { findProducts } from '../inventory/store.ts'
import { ApiError } from '../kernel/api-error.ts'
import type { Database } from '../platform/database/database.ts'
import type { OrderItem } from './order.ts'
import type { WantedItem } from './parse-order.ts'

/**
 * Returns the ordered products, in the order of the request.
 *
 * @throws {ApiError} `inventory_item_not_found` if a product is missing or not active, or if sku and id
 * differ.
 */
export async function findItems(
  needs: { db: Database },
  merchant: Wallet,
  wanted: readonly WantedItem[],
): Promise<OrderItem[]> {
  const products = await findProducts(needs.db, merchant, {
    ids: wanted.flatMap(({ id }) => id ?? []),
    skus: wanted.flatMap(({ sku }) => sku ?? []),
  })
  const active = products.filter(({ status }) => status === 'active')
  const byId = new Map(active.map((product) => [product.id, product]))
  const bySku = new Map(active.map((product) => [product.sku, product]))
  const items: OrderItem[] = []
  const unknown: { index: number; sku?: string; id?: string }[] = []
  for (const [index, { sku, id, qty, note }] of wanted.entries()) {
    const product = id === undefined ? bySku.get(sku ?? '') : byId.get(id)
    if (!product || (sku !== undefined && product.sku !== sku)) {
      unknown.push({ index, ...(sku !== undefined && { sku }), ...(id !== undefined && { id }) })
      continue
    }
    items.push(itemOf(product, { qty, note }))
  }
  if (unknown[0]) {
    const { sku, id } = unknown[0]
    const named = [sku !== undefined && `sku ${sku}`, id !== undefined && `id ${id}`].filter(Boolean)
    throw new ApiError('inventory_item_not_found', `No product for sale has ${named.join(' and ')}`, {
      items: unknown,
    })
  }
  return items
}

export function itemOf(product: Product, { qty, note }: Pick<WantedItem, 'qty' | 'note'>): OrderItem {
  return {
    productId: product.id,
    sku: product.sku,
    name: note === undefined ? product.name : `${product.name}, ${note}`,
    qty,
    unitCents: product.priceCents,
    taxable: product.taxable,
  }
}
