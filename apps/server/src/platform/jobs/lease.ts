import type { Cancel, Clock } from '../../kernel/clock.ts'
import { int8 } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { Timings } from './timings.ts'

/** Exclusive right to a task for a limited time. A later holder has a higher `fencingToken`. */
export type Lease = { readonly name: string; readonly holder: string; readonly fencingToken: bigint }

/**
 * First key of the advisory locks that prove a process alive. PostgreSQL frees them when the session ends.
 */
const seatClass = 5_127_633

const seatNumber = (holder: string) => `hashtext(split_part(${holder}, ':', 1))`

/**
 * Takes the process's advisory lock for the life of the session.
 *
 * When the process is killed, its session ends and its leases are free at once. Without the lock, they must
 * expire first.
 */
export const takeSeat = `SELECT pg_advisory_lock_shared(${seatClass}, ${seatNumber('$1')})`

/**
 * Whether a session holds that lock. A frozen or disconnected process holds the lock longer than its leases.
 */
const isSeated = (holder: string) => `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'
      AND classid::int8 = ${seatClass} AND objid::int8 = ${seatNumber(holder)}::int8 & 4294967295 AND granted)`

/**
 * Takes or extends the lease `name`. Returns `undefined` while another holder has the lease.
 *
 * Uses the database's time. Work that may happen only once must still be guarded by its own rows.
 */
export async function claimLease(
  db: Database,
  name: string,
  holder: string,
  forMs: number,
): Promise<Lease | undefined> {
  const row = await db.row(claim({ name, holder, forMs }))
  return row && { name, holder, fencingToken: row.fencingToken }
}

export async function releaseLease(db: Database, lease: Lease): Promise<void> {
  await db.run(release({ name: lease.name, holder: lease.holder, fencingToken: lease.fencingToken }))
}

/** Ends the leases of dead processes, including names that consist of a process, a colon and a suffix. */
export function endLeasesOf(db: Database, holders: readonly string[]): Promise<number> {
  return db.run(endOf({ holders }))
}

export function listHeldLeases(db: Database, prefix: string): Promise<{ name: string; holder: string }[]> {
  return db.rows(listHeld({ prefix }))
}

/**
 * Removes leases that expired more than a day ago and whose names start with the prefix. Such names never
 * recur.
 */
export async function pruneLeases(db: Database, prefix: string): Promise<void> {
  await db.run(forget({ prefix }))
}

const claim = statement({
  name: 'claim-lease',
  reads: { fencingToken: int8() },
  text: `INSERT INTO lease (name, holder, fencing_token, held_until, seated_as)
    VALUES (:name, :holder, 1, clock_timestamp() + :forMs::float8 * interval '1 millisecond',
      CASE WHEN ${isSeated(':holder')} THEN :holder END)
    ON CONFLICT (name) DO UPDATE SET
      holder = :holder,
      fencing_token = lease.fencing_token + CASE WHEN lease.holder = :holder THEN 0 ELSE 1 END,
      held_until = excluded.held_until,
      seated_as = excluded.seated_as
    WHERE lease.holder = excluded.holder OR lease.held_until < clock_timestamp()
      OR (lease.seated_as = lease.holder AND NOT ${isSeated('lease.holder')})
    RETURNING fencing_token`,
})

const release = statement({
  name: 'release-lease',
  text: `UPDATE lease SET held_until = 'epoch' WHERE name = :name AND holder = :holder
    AND fencing_token = :fencingToken`,
})

const endOf = statement({
  name: 'end-leases-of',
  text: `UPDATE lease SET held_until = 'epoch'
    WHERE split_part(holder, ':', 1) = ANY(:holders::text[]) AND held_until > clock_timestamp()`,
})

const listHeld = statement({
  name: 'list-held-leases',
  text: `SELECT name, holder FROM lease WHERE starts_with(name, :prefix) AND held_until > clock_timestamp()`,
})

const forget = statement({
  name: 'forget-leases',
  text: `DELETE FROM lease WHERE starts_with(name, :prefix) AND held_until < clock_timestamp() - interval '1 day'`,
})

/**
 * Runs `work` while holding the lease `name`. Returns `undefined` if another holder has the lease.
 *
 * The lease is short, so that a frozen process delays others only for seconds. A timer on this machine renews
 * the lease. If a renewal fails, the lease expires during the work: work that may happen only once must still
 * be guarded by its own rows.
 */
export async function holdLease<T>(
  { db, clock, timings: { leaseMs } }: { db: Database; clock: Clock; timings: Timings },
  name: string,
  holder: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const lease = await claimLease(db, name, holder, leaseMs)
  if (!lease) return undefined
  let cancel: Cancel = () => {}
  let renewal: Promise<unknown> = Promise.resolve()
  const renewLater = () => {
    cancel = clock.after(leaseMs / 3, () => {
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
    // A renewal after the release would take the lease again.
    await renewal
    await releaseLease(db, lease)
  }
}
