import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Cache } from '../../platform/cache/cache.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Brand } from '../../site/brand.ts'
import { findBrandOfMerchant } from '../../site/find-brand.ts'
import { findReceiptHome, type ReceiptHome } from './make-receipt.ts'

/** A receipt's home, and the brand whose fee it is charged and whose domain it is paid on. */
export type BrandedHome = ReceiptHome & { readonly brand: Brand }

/** Where merchants' receipts are made, kept in memory: nearly every request asks, and it changes a few times a year. */
export class ReceiptHomes {
  readonly #db: Database
  readonly #cache: Cache

  constructor({ db, cache }: { db: Database; cache: Cache }) {
    this.#db = db
    this.#cache = cache
  }

  /** Where the merchant's receipts are made now; a change counts within a second. */
  of(merchant: Wallet): Promise<BrandedHome> {
    return this.#cache.get(`home ${merchant}`, async () => {
      const [home, brand] = await Promise.all([
        findReceiptHome(this.#db, merchant),
        findBrandOfMerchant(this.#db, merchant),
      ])
      return { ...home, brand }
    })
  }
}
