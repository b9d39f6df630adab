import pg from 'pg'
import { migrate } from '../../../src/platform/database/opening/migrate.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'

export const templateName = 'sluice_template'

export type SharedPostgres = {
  readonly url: string
  /**
   * Stops PostgreSQL and removes its folder. Calls `look` with the folder in between, after everything is on
   * disk.
   */
  stop(look?: (folder: string) => void): Promise<void>
}

/**
 * Starts PostgreSQL with the migrated template in a temporary folder. Commits do not wait for the disk.
 *
 * @param options.isSearched - Keeps the whole WAL and disables compression. A search of the folder then finds
 * the content of dropped databases too.
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

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

export async function inDatabase(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Disables the compression of long values, which would hide a secret from the search. */
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
