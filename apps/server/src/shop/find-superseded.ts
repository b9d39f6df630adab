import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { listActsSince } from '../access/audit/list-acts-since.ts'
import type { Database } from '../platform/database/database.ts'
import type { Shop, ShopChange } from './shop.ts'

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
