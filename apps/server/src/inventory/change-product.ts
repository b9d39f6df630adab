import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { changed, isProductId, type Product, type ProductChange } from './product.ts'
import { lockProducts, saveProducts } from './store.ts'
import { retryRaced } from './upsert-products.ts'

/**
 * Changes the given fields of a product, whatever its status.
 *
 * @throws {ApiError} `not_found`; `product_conflict` if another product has the sku.
 */
export async function changeProduct(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  id: string,
  change: ProductChange,
): Promise<Product> {
  if (!isProductId(id)) throw new ApiError('not_found', 'Product not found')
  return retryRaced(needs.db, async (tx) => {
    const skus = change.sku === undefined ? [] : [change.sku]
    const found = await lockProducts(tx, merchant, { ids: [id], skus })
    const product = found.find((each) => each.id === id)
    if (!product) throw new ApiError('not_found', 'Product not found')
    const holder = found.find((each) => each.id !== id)
    if (holder) {
      throw new ApiError(
        'product_conflict',
        `sku ${holder.sku} belongs to the product with the id ${holder.id}`,
      )
    }
    const after = changed(product, change, needs.clock.now())
    await saveProducts(tx, merchant, [after])
    return after
  })
}
