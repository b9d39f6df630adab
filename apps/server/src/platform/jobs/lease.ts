import type { Database } from '../database/database.ts'

/** The right to do one piece of work alone for a while. A later holder has a higher `fencingToken`. */
export type Lease = { readonly name: string; readonly holder: string; readonly fencingToken: bigint }

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
  const row = await db.row<{ fencing_token: bigint }>(claim, [name, holder, forMs])
  return row && { name, holder, fencingToken: row.fencing_token }
}

/** Gives the lease back before its time, so that another process need not wait. */
export async function releaseLease(db: Database, lease: Lease): Promise<void> {
  await db.run(release, [lease.name, lease.holder, lease.fencingToken])
}

/**
 * As {@link claimLease} for many names in one statement: those of `names` that `holder` now has.
 * Meant for work that any holder may do and that rows of its own guard.
 */
export async function claimLeases(
  db: Database,
  names: readonly string[],
  holder: string,
  forMs: number,
): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(claimMany, [names, holder, forMs])
  return rows.map((row) => row.name)
}

/** Gives back those of `names` that `holder` has. */
export async function releaseLeases(db: Database, names: readonly string[], holder: string): Promise<void> {
  await db.run(releaseMany, [names, holder])
}

/** Ends the leases of dead processes: those under their names, and under names that begin with one and a colon. */
export function endLeasesOf(db: Database, holders: readonly string[]): Promise<number> {
  return db.run(endOf, [holders])
}

/** The leases held now whose names begin with `prefix`. */
export function listHeldLeases(db: Database, prefix: string): Promise<{ name: string; holder: string }[]> {
  return db.rows(listHeld, [prefix])
}

/** Who had leases whose names begin with `prefix`, did not give them back, and has not had them for `sinceMs`. */
export async function listLapsedLeases(db: Database, prefix: string, sinceMs: number): Promise<string[]> {
  return (await db.rows<{ holder: string }>(listLapsed, [prefix, sinceMs])).map(({ holder }) => holder)
}

/** Removes those that {@link listLapsedLeases} lists. */
export async function dropLapsedLeases(db: Database, prefix: string, sinceMs: number): Promise<void> {
  await db.run(dropLapsed, [prefix, sinceMs])
}

/** Removes leases whose names begin with `prefix` and that nobody has held for a day: for names that do not come again. */
export async function forgetLeases(db: Database, prefix: string): Promise<void> {
  await db.run(forget, [prefix])
}

const claim = {
  name: 'claim-lease',
  text: `INSERT INTO lease (name, holder, fencing_token, held_until)
    VALUES ($1, $2, 1, clock_timestamp() + $3::float8 * interval '1 millisecond')
    ON CONFLICT (name) DO UPDATE SET
      holder = $2,
      fencing_token = lease.fencing_token + CASE WHEN lease.holder = $2 THEN 0 ELSE 1 END,
      held_until = excluded.held_until
    WHERE lease.holder = $2 OR lease.held_until < clock_timestamp()
    RETURNING fencing_token`,
}

const release = {
  name: 'release-lease',
  text: `UPDATE lease SET held_until = 'epoch' WHERE name = $1 AND holder = $2 AND fencing_token = $3`,
}

/** In the order of the names, so that two processes claiming the same ones do not lock each other out. */
const claimMany = {
  name: 'claim-leases',
  text: `INSERT INTO lease (name, holder, fencing_token, held_until)
    SELECT wanted.name, $2, 1, clock_timestamp() + $3::float8 * interval '1 millisecond'
    FROM unnest($1::text[]) AS wanted (name) ORDER BY wanted.name
    ON CONFLICT (name) DO UPDATE SET
      holder = $2,
      fencing_token = lease.fencing_token + CASE WHEN lease.holder = $2 THEN 0 ELSE 1 END,
      held_until = excluded.held_until
    WHERE lease.holder = $2 OR lease.held_until < clock_timestamp()
    RETURNING name`,
}

const releaseMany = {
  name: 'release-leases',
  text: `UPDATE lease SET held_until = 'epoch' WHERE name = ANY($1::text[]) AND holder = $2`,
}

const endOf = {
  name: 'end-leases-of',
  text: `UPDATE lease SET held_until = 'epoch'
    WHERE split_part(holder, ':', 1) = ANY($1::text[]) AND held_until > clock_timestamp()`,
}

const listHeld = {
  name: 'list-held-leases',
  text: `SELECT name, holder FROM lease WHERE starts_with(name, $1) AND held_until > clock_timestamp()`,
}

const isLapsed = `starts_with(name, $1) AND held_until > 'epoch'
    AND held_until < clock_timestamp() - $2::float8 * interval '1 millisecond'`

const listLapsed = { name: 'list-lapsed-leases', text: `SELECT holder FROM lease WHERE ${isLapsed}` }

const dropLapsed = { name: 'drop-lapsed-leases', text: `DELETE FROM lease WHERE ${isLapsed}` }

const forget = {
  name: 'forget-leases',
  text: `DELETE FROM lease WHERE starts_with(name, $1) AND held_until < clock_timestamp() - interval '1 day'`,
}
