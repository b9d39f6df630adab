import { slugPattern } from '@sluice/protocol/api/shop.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import { findSlugOwner } from './store.ts'

const form = new RegExp(slugPattern)

/** The merchant whose shop has this slug; `undefined` for a text that cannot be one. */
export async function findMerchantBySlug(db: Database, slug: string): Promise<Wallet | undefined> {
  return form.test(slug) ? findSlugOwner(db, slug) : undefined
}
