import { type Cancel, systemClock } from '../../kernel/clock.ts'
import type { Database } from '../database/database.ts'
import { claimLease, releaseLease } from './lease.ts'
import type { Timings } from './timings.ts'

/**
 * Does `work` as the only one who holds the lease `name`, however long it takes; `undefined` while another has it.
 *
 * A lease is short, so that a process that stands still keeps the others waiting for seconds, and is renewed while
 * the process lives. Time is the database's, therefore the renewals go by the machine's own. One that cannot be
 * renewed runs out under the work: what may only happen once must still be guarded by its own rows.
 */
export async function holdLease<T>(
  { db, timings: { leaseMs } }: { db: Database; timings: Timings },
  name: string,
  holder: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const lease = await claimLease(db, name, holder, leaseMs)
  if (!lease) return undefined
  let cancel: Cancel = () => {}
  let renewal: Promise<unknown> = Promise.resolve()
  const renewLater = () => {
    cancel = systemClock.after(leaseMs / 3, () => {
      renewal = claimLease(db, name, holder, leaseMs).then(
        (kept) => kept?.fencingToken === lease.fencingToken && !isOver && renewLater(),
        () => !isOver && renewLater(),
      )
    })
  }
  let isOver = false
  renewLater()
  try {
    return await work()
  } finally {
    isOver = true
    cancel()
    // A renewal that comes after the release would take the lease again.
    await renewal
    await releaseLease(db, lease)
  }
}
