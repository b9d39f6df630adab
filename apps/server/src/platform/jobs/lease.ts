import { type Cancel, systemClock } from '../../kernel/clock.ts'
import { int8 } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { Timings } from './timings.ts'

/** The right to do one piece of work alone for a while. A later holder has a higher `fencingToken`. */
export type Lease = { readonly name: string; readonly holder: string; readonly fencingToken: bigint }

/** Begins the numbers of the locks by which processes show that they live; PostgreSQL takes a lock from who is gone. */
const seatClass = 5_127_633

/** The number of a holder's lock: of all jobs of a process the same one. */
const seatNumber = (holder: string) => `hashtext(split_part(${holder}, ':', 1))`

/**
 * Takes a process's seat, as long as the session lives that sends this: when the process is killed, its session ends, and
 * leases it has claimed are free at once. A process without one is missed when its leases have run out.
 */
export const takeSeat = `SELECT pg_advisory_lock_shared(${seatClass}, ${seatNumber('$1')})`

/** Whether a session holds that lock. A process that stands still or is cut off keeps it for longer than its leases. */
const isSeated = (holder: string) => `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'
      AND classid::int8 = ${seatClass} AND objid::int8 = ${seatNumber(holder)}::int8 & 4294967295 AND granted)`

/**
 * Takes the lease `name`, or keeps it where `holder` has it already; `undefined` while another holds it.
 * Time is the database's. What may only happen once must still be guarded by its own rows.
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

/** Gives the lease back before its time, so that another process need not wait. */
export async function releaseLease(db: Database, lease: Lease): Promise<void> {
  await db.run(release({ name: lease.name, holder: lease.holder, fencingToken: lease.fencingToken }))
}

/** Ends the leases of dead processes: those under their names, and under names that begin with one and a colon. */
export function endLeasesOf(db: Database, holders: readonly string[]): Promise<number> {
  return db.run(endOf({ holders }))
}

/** The leases held now whose names begin with `prefix`. */
export function listHeldLeases(db: Database, prefix: string): Promise<{ name: string; holder: string }[]> {
  return db.rows(listHeld({ prefix }))
}

/** Removes leases whose names begin with `prefix` and that nobody has held for a day: for names that do not come again. */
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
