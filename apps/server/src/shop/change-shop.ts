import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { listActsSince } from '../access/audit/list-audit.ts'
import { ApiError } from '../kernel/api-error.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { applyChange, newShop, type Shop, type ShopChange } from './shop.ts'
import { claimSlug, insertShop, lockShop, releaseSlug, saveShop } from './store.ts'

/**
 * Changes the given fields of a shop. The first change creates the shop. Safe to repeat. After a slug change,
 * the old slug is available to others immediately.
 *
 * @param alongside - Runs last in the same transaction. `superseded` lists the fields that were left
 * unchanged.
 * @param acceptedAt - Acceptance time of a deferred change. Fields that changed since then stay unchanged.
 * @throws {ApiError} `slug_taken` if another merchant has the slug.
 */
export async function changeShop(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  change: ShopChange,
  alongside: (tx: Database, superseded: readonly string[]) => Promise<unknown> = async () => {},
  acceptedAt?: UnixMs,
): Promise<Shop> {
  return needs.db.transaction(async (tx) => {
    const now = needs.clock.now()
    const at = acceptedAt ?? now
    await insertShop(tx, newShop(merchant, at))
    const before = await lockShop(tx, merchant)
    assert(before, 'the shop exists')
    const superseded =
      acceptedAt === undefined ? [] : await findSuperseded(tx, before, change, { acceptedAt, now })
    const shop = applyChange(before, without(change, superseded), at)
    if (shop.slug !== before.slug) await moveSlug(tx, before, shop)
    // A deferred change must not move `updatedAt` back.
    const updatedAt = acceptedAt === undefined ? at : (Math.max(before.updatedAt, at) as UnixMs)
    await saveShop(tx, { ...shop, updatedAt })
    await alongside(tx, superseded)
    return { ...shop, updatedAt }
  })
}

function without(change: ShopChange, fields: readonly string[]): ShopChange {
  return Object.fromEntries(Object.entries(change).filter(([field]) => !fields.includes(field)))
}

/** Claims the new slug before releasing the old one, so that two shops that swap slugs cannot deadlock. */
async function moveSlug(tx: Database, before: Shop, after: Shop): Promise<void> {
  const { merchant, slug } = after
  if (slug !== undefined && !(await claimSlug(tx, merchant, slug)))
    throw new ApiError('slug_taken', `The slug ${slug} is already taken`)
  if (before.slug !== undefined) await releaseSlug(tx, merchant, before.slug)
}

/** Audit log action for a shop change. Its details list the changed `fields`. */
export const shopChanged = 'shop.changed'

/** Tolerated clock difference between machines. A change counts as newer only beyond this difference. */
const skewMs = 1_000
/** A change whose time is further in the future comes from a wrong clock, so its time is ignored. */
const farAheadMs = 60_000

/**
 * Returns the fields of a deferred change that other changes modified after its acceptance. For another
 * deferred change, its own acceptance time counts.
 *
 * @param shop - Locked row.
 */
export async function findSuperseded(
  tx: Database,
  shop: Shop,
  change: ShopChange,
  times: { readonly acceptedAt: UnixMs; readonly now: UnixMs },
): Promise<string[]> {
  const since = addMs(times.acceptedAt, skewMs)
  if (shop.updatedAt <= since) return []
  const changed = new Set<string>()
  for (const { at, details } of await listActsSince(tx, shop.merchant, shopChanged, since)) {
    const { acceptedAt = at, fields } = details as { acceptedAt?: UnixMs; fields: string[] }
    if (acceptedAt > since && acceptedAt <= times.now + farAheadMs)
      for (const field of fields) changed.add(field)
  }
  return Object.keys(change).filter((field) => changed.has(field))
}
