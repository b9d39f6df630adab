import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Clock, systemClock } from '../../../src/kernel/clock.ts'
import { type Random, systemRandom } from '../../../src/kernel/random.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { until } from '../../../src/platform/process/process.ts'
import { keepDump } from '../secrets/secret-register.ts'
import { templateName, withDatabase } from './shared-postgres.ts'

const dropMs = 60_000
/** The dump of an empty database is 11 MB. */
const mostDumpedBytes = 50_000_000
/** SQLSTATE `object_in_use`. */
const objectInUse = '55006'

export type TestDatabase = {
  readonly url: string
  readonly pool: Pool
  drop(): Promise<void>
}

/**
 * Creates a copy of the run's migrated template, or an empty database. The first call of a run starts
 * PostgreSQL.
 *
 * @param options.clock - Clock of the pauses before the pool repeats a statement. By default, real time: the
 * conflicts are real too, and a test's clock may stand still.
 */
export async function makeTestDatabase(
  options: { isEmpty?: boolean; clock?: Clock; random?: Random } = {},
): Promise<TestDatabase> {
  const response = await fetch(inject('sharedPostgresDoor'))
  const adminUrl = await response.text()
  if (!response.ok) throw new Error(`the PostgreSQL for tests did not start: ${adminUrl}`)
  const name = `test_${randomBytes(8).toString('hex')}`
  const template = options.isEmpty ? 'template0' : templateName
  const nodes = [adminUrl, ...(options.isEmpty ? [] : workerUrls())]
  for (const node of nodes)
    await administer(node, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  const url = withDatabase(adminUrl, name)
  const { clock = systemClock, random = systemRandom } = options
  const pool = new Pool({ url, log: makeLog('error'), clock, random })
  return {
    url,
    pool,
    async drop() {
      if (!options.isEmpty && nodes.length === 1) keepDump(name, await dump(pool))
      await pool.close()
      for (const node of nodes) await dropDatabase(node, name)
    },
  }
}

async function dump(pool: Pool): Promise<string> {
  const xml = "schema_to_xml('public', true, false, '')::text"
  const text = `SELECT CASE WHEN pg_database_size(current_database()) < ${mostDumpedBytes} THEN ${xml} END AS xml`
  return (await pool.row<{ xml: string | null }>({ name: '', text }))?.xml ?? ''
}

/**
 * Returns the worker URLs of the Citus cluster in `TEST_POSTGRES_URL`, from `TEST_POSTGRES_WORKERS`
 * (comma-separated). Copies of the template with one name on every node form a separate cluster.
 */
export function workerUrls(): string[] {
  return (process.env.TEST_POSTGRES_WORKERS ?? '').split(',').filter(Boolean)
}

/**
 * Drops a database with all its connections. Citus's own connections may outlast the command, which is
 * retried.
 */
async function dropDatabase(url: string, name: string): Promise<void> {
  let reason: unknown
  const isDropped = () =>
    administer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).then(
      () => true,
      (error) => {
        if (error.code !== objectInUse) throw error
        reason = error
        return false
      },
    )
  if (!(await until(isDropped, dropMs))) throw reason
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Citus would otherwise create the database on the other nodes, empty instead of copied.
    if (workerUrls().length > 0) await client.query('SET citus.enable_create_database_propagation TO off')
    await client.query(statement)
  } finally {
    await client.end()
  }
}
