import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { endLeasesOf } from '../platform/jobs/lease.ts'
import type { Log } from '../platform/log.ts'
import { freeClaimsOf } from '../webhooks/store.ts'

/**
 * Releases the leases and claims of dead processes, so that their work continues at once.
 *
 * Work that must happen once is protected by its own rows.
 */
export async function takeOverFrom(
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
  holders: readonly string[],
): Promise<void> {
  if (holders.length === 0) return
  const leaseCount = await endLeasesOf(db, holders)
  const messageCount = await freeClaimsOf(db, holders, clock.now())
  log.info({ holders, leaseCount, messageCount }, 'took over the work of killed processes')
}
