import pg from 'pg'
import { migrate } from '../../../src/platform/database/opening/migrate.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'

/** Name of the database that every test database is a copy of. */
export const templateName = 'sluice_template'

/** A PostgreSQL for tests. `url` is that of its maintenance database. */
export type SharedPostgres = {
  readonly url: string
  /** Stops it and removes its folder. Calls `look` with the folder before, once everything is on disk. */
  stop(look?: (folder: string) => void): Promise<void>
}

/**
 * Starts a PostgreSQL in a temporary folder, with the migrated template. It does not wait for the disk.
 *
 * @param options.isSearched - Keeps the whole WAL, uncompressed, and long values as they are, so that a search of the
 * folder finds the content of dropped databases too.
 */
export async function startSharedPostgres(options: { isSearched?: boolean } = {}): Promise<SharedPostgres> {
  const log = makeLog('error')
  const folder = await makeTemporaryFolder('postgres', { isSearched: false })
  const starting = startEmbeddedPostgres({ log }, { dataDir: folder.path, isThrowaway: true })
  starting.catch(() => folder.remove())
  const postgres = await starting
  const stop = async (look?: (folder: string) => void) => {
    if (look) await inDatabase(url, 'CHECKPOINT')
    await postgres.stop()
    look?.(folder.path)
    await folder.remove()
  }
  const url = withDatabase(postgres.url, 'postgres')
  try {
    if (options.isSearched) {
      await inDatabase(
        url,
        "ALTER SYSTEM SET wal_keep_size = '4GB'",
        "ALTER SYSTEM SET wal_compression = 'off'",
        'SELECT pg_reload_conf()',
      )
    }
    await inDatabase(url, `CREATE DATABASE ${templateName}`)
    const templateUrl = withDatabase(postgres.url, templateName)
    await migrate({ url: templateUrl, log })
    if (options.isSearched) await inDatabase(templateUrl, keepTextsAsTheyAre)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** `url` with another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Runs each statement in its own transaction. */
export async function inDatabase(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Switches off the compression of long values, in which a search would not find a secret. */
const keepTextsAsTheyAre = `DO $$
  DECLARE column_ record;
  BEGIN
    FOR column_ IN SELECT a.attrelid::regclass AS "table", quote_ident(a.attname) AS name
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attstorage = 'x'
    LOOP
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %s SET STORAGE EXTERNAL', column_."table", column_.name);
    END LOOP;
  END $$`
