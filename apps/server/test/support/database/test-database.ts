import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { until } from '../../../src/platform/process/process.ts'
import { keepDump } from '../secrets/secret-register.ts'
import { templateName, withDatabase } from './shared-postgres.ts'

const dropMs = 60_000
/** An empty database has 11 MB. */
const mostDumpedBytes = 50_000_000
/** The code of PostgreSQL for what others use. */
const objectInUse = '55006'

/** A database of one test file: fresh, migrated, on real PostgreSQL. */
export type TestDatabase = {
  readonly url: string
  readonly pool: Pool
  /** Closes the pool and removes the database, other connections to it included. */
  drop(): Promise<void>
}

/**
 * Makes a database as a copy of the run's migrated template, or one with nothing in it; the first call of a run
 * starts PostgreSQL.
 */
export async function makeTestDatabase(options: { isEmpty?: boolean } = {}): Promise<TestDatabase> {
  const response = await fetch(inject('sharedPostgresDoor'))
  const adminUrl = await response.text()
  if (!response.ok) throw new Error(`the PostgreSQL for tests did not start: ${adminUrl}`)
  const name = `test_${randomBytes(8).toString('hex')}`
  const template = options.isEmpty ? 'template0' : templateName
  const nodes = [adminUrl, ...(options.isEmpty ? [] : workerUrls())]
  for (const node of nodes)
    await administer(node, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  const url = withDatabase(adminUrl, name)
  const pool = new Pool({ url, log: makeLog('error') })
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

/** Returns all rows of all tables as XML; nothing if a test has filled the database with copies of rows. */
async function dump(pool: Pool): Promise<string> {
  const xml = "schema_to_xml('public', true, false, '')::text"
  const text = `SELECT CASE WHEN pg_database_size(current_database()) < ${mostDumpedBytes} THEN ${xml} END AS xml`
  return (await pool.row<{ xml: string | null }>({ name: '', text }))?.xml ?? ''
}

/**
 * The workers of the cluster whose coordinator `TEST_POSTGRES_URL` leads to, their URLs in `TEST_POSTGRES_WORKERS` with
 * commas between them. A copy of the template on every node, under one name, is a cluster of its own.
 */
export function workerUrls(): string[] {
  return (process.env.TEST_POSTGRES_WORKERS ?? '').split(',').filter(Boolean)
}

/** Drops it with all that is connected to it; what Citus runs in it itself may take longer to end than the command waits. */
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
    // A database that Citus made on the other nodes by itself would be no copy of theirs.
    if (workerUrls().length > 0) await client.query('SET citus.enable_create_database_propagation TO off')
    await client.query(statement)
  } finally {
    await client.end()
  }
}
