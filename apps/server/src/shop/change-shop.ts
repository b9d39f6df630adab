import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Database } from '../platform/database/database.ts'
import { applyChange, newShop, type Shop, type ShopChange } from './shop.ts'
import { claimSlug, insertShop, lockShop, releaseSlug, saveShop } from './store.ts'

/**
 * Changes what is given of a merchant's shop and keeps the rest; the first change makes the shop.
 *
 * Safe to repeat. A slug that is given up is free at once.
 *
 * @param alongside - Runs in the same transaction, last: both or neither.
 * @throws {Refusal} `slug_taken` where another merchant has the slug, or was faster.
 */
export async function changeShop(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  change: ShopChange,
  alongside: (tx: Database, shop: Shop) => Promise<unknown> = async () => {},
): Promise<Shop> {
  return needs.db.transaction(async (tx) => {
    const now = needs.clock.now()
    await insertShop(tx, newShop(merchant, now))
    const before = await lockShop(tx, merchant)
    assert(before, 'the shop was there or has just been made')
    const shop = applyChange(before, change, now)
    if (shop.slug !== before.slug) await moveSlug(tx, before, shop)
    await saveShop(tx, shop)
    await alongside(tx, shop)
    return shop
  })
}

/** The new slug is taken before the old one is given back: two shops that swap theirs cannot wait for each other. */
async function moveSlug(tx: Database, before: Shop, after: Shop): Promise<void> {
  const { merchant, slug } = after
  if (slug !== undefined && !(await claimSlug(tx, merchant, slug)))
    throw new Refusal('slug_taken', `The slug ${slug} is already taken`)
  if (before.slug !== undefined) await releaseSlug(tx, merchant, before.slug)
}
