import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { listActsSince } from '../access/audit/list-audit.ts'
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
 * @param alongside - Runs in the same transaction, last: both or neither. `superseded`: the fields that stay as they are.
 * @param acceptedAt - When it was accepted, where that was earlier: what was changed since then stays.
 * @throws {Refusal} `slug_taken` where another merchant has the slug, or was faster.
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
    assert(before, 'the shop was there or has just been made')
    const superseded =
      acceptedAt === undefined ? [] : await findSuperseded(tx, before, change, { acceptedAt, now })
    const shop = applyChange(before, without(change, superseded), at)
    if (shop.slug !== before.slug) await moveSlug(tx, before, shop)
    // What was accepted earlier makes no shop older than it is.
    const updatedAt = acceptedAt === undefined ? at : (Math.max(before.updatedAt, at) as UnixMs)
    await saveShop(tx, { ...shop, updatedAt })
    await alongside(tx, superseded)
    return { ...shop, updatedAt }
  })
}

function without(change: ShopChange, fields: readonly string[]): ShopChange {
  return Object.fromEntries(Object.entries(change).filter(([field]) => !fields.includes(field)))
}

/** The new slug is taken before the old one is given back: two shops that swap theirs cannot wait for each other. */
async function moveSlug(tx: Database, before: Shop, after: Shop): Promise<void> {
  const { merchant, slug } = after
  if (slug !== undefined && !(await claimSlug(tx, merchant, slug)))
    throw new Refusal('slug_taken', `The slug ${slug} is already taken`)
  if (before.slug !== undefined) await releaseSlug(tx, merchant, before.slug)
}

/** How the audit log calls a change of a shop; its details name the `fields`. */
export const shopChanged = 'shop.changed'

/** Clocks of two machines may differ by this much: a change is newer only where it is so by more. */
const skewMs = 1_000
/** What was changed further ahead of now was changed by a clock that was wrong: its time says nothing. */
const farAheadMs = 60_000

/**
 * Of a change that was accepted at a time and is made only now, the fields that were changed since: whoever changed them
 * knew better. A change that was itself made later than it was accepted counts from when it was.
 *
 * @param shop - Its row is locked: nobody changes it meanwhile.
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
