import type { Database } from './database.ts'

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
