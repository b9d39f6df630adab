import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts'
import { makeLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

/** The database that every test database is a copy of. */
export const templateName = 'sluice_template'

/** A PostgreSQL for tests. `url` leads to its maintenance database. */
export type SharedPostgres = { readonly url: string; stop(): Promise<void> }

/** Starts a PostgreSQL in a temporary folder, unsafe on disk and fast, with the migrated template. */
export async function startSharedPostgres(): Promise<SharedPostgres> {
  const log = makeLog('error')
  const folder = await makeTemporaryFolder('postgres')
  const starting = startEmbeddedPostgres({ log }, { dataDir: folder.path, isThrowaway: true })
  starting.catch(() => folder.remove())
  const postgres = await starting
  const stop = async () => {
    await postgres.stop()
    await folder.remove()
  }
  try {
    const url = withDatabase(postgres.url, 'postgres')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`CREATE DATABASE ${templateName}`).finally(() => client.end())
    await migrate({ url: withDatabase(postgres.url, templateName), log })
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
