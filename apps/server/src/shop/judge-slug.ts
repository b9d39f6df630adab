import { slugPattern } from '@sluice/protocol/api/shop.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import { reservedSlugs } from './reserved-slugs.ts'
import { findSlugOwner } from './store.ts'

/** Whether a merchant can have a slug, and what stands against it. */
export type SlugState = 'free' | 'yours' | 'taken' | 'reserved' | 'invalid'

const form = new RegExp(slugPattern)

/** How a slug stands for a merchant now; another can still be faster. Whose it is, is not said. */
export async function judgeSlug(db: Database, merchant: Wallet, slug: string): Promise<SlugState> {
  if (!form.test(slug)) return 'invalid'
  if (reservedSlugs.has(slug)) return 'reserved'
  const owner = await findSlugOwner(db, slug)
  if (owner === undefined) return 'free'
  return owner === merchant ? 'yours' : 'taken'
}
