import type { Clock } from '../kernel/clock.ts'
import { Places } from '../platform/cluster/places.ts'
import type { Database } from '../platform/database/database.ts'
import { isDatastoreOutage } from '../platform/database/degraded.ts'
import { endLeasesOf } from '../platform/jobs/lease.ts'
import type { Log } from '../platform/log.ts'
import { freeClaimsOf } from '../webhooks/store.ts'

/**
 * Sets free what processes held that are known to be dead, so that their work goes on at once and not when it
 * would have run out. What may only happen once is guarded by its own rows, as ever.
 *
 * Webhooks stand with their merchants. Where one of several machines is away, claims run out by themselves, in seconds:
 * no reason not to start for the merchants of the others.
 */
export async function takeOverFrom(
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
  holders: readonly string[],
): Promise<void> {
  if (holders.length === 0) return
  const leaseCount = await endLeasesOf(db, holders)
  const places = new Places({ db, clock, log })
  const noticeCount = await freeClaimsOf({ db, places }, holders, clock.now()).catch((error: unknown) => {
    if (!isDatastoreOutage(error)) throw error
    log.warn({ err: error }, 'webhooks that killed processes had begun wait until their claims run out')
    return undefined
  })
  log.info({ holders, leaseCount, noticeCount }, 'took over the work of processes that were killed')
}
