import pg from 'pg'
import type { Database } from '../../../src/platform/database/database.ts'

/**
 * Replaces `clock_timestamp()`, by which leases expire, with a time that {@link setDatabaseTime} sets. The
 * statements of the service find the replacement first. Connections that are already open keep the real time.
 */
export async function replaceDatabaseTime(url: string, now: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`CREATE SCHEMA simulated;
      CREATE TABLE simulated.instant AS SELECT ${now}::int8 AS ms;
      CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql
        AS 'SELECT to_timestamp(ms / 1000.0) FROM simulated.instant';
      ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = simulated, pg_catalog, public`)
  } finally {
    await client.end()
  }
}

export async function setDatabaseTime(db: Database, now: number): Promise<void> {
  await db.run({ name: 'test-set-time', text: 'UPDATE simulated.instant SET ms = $1' }, [now])
}
