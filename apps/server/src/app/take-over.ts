import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { endLeasesOf } from '../platform/jobs/lease.ts'
import type { Log } from '../platform/log.ts'
import { freeClaimsOf } from '../webhooks/store.ts'

/**
 * Sets free what processes held that are known to be dead, so that their work goes on at once and not when it
 * would have run out. What may only happen once is guarded by its own rows, as ever.
 */
export async function takeOverFrom(
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
  holders: readonly string[],
): Promise<void> {
  if (holders.length === 0) return
  const leaseCount = await endLeasesOf(db, holders)
  const noticeCount = await freeClaimsOf(db, holders, clock.now())
  log.info({ holders, leaseCount, noticeCount }, 'took over the work of processes that were killed')
}
