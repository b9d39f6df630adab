import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { templateName, withDatabase } from './shared-postgres.ts'

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
  const answer = await fetch(inject('sharedPostgresDoor'))
  const adminUrl = await answer.text()
  if (!answer.ok) throw new Error(`the PostgreSQL for tests did not start: ${adminUrl}`)
  const name = `test_${randomBytes(8).toString('hex')}`
  const template = options.isEmpty ? 'template0' : templateName
  await administer(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  const url = withDatabase(adminUrl, name)
  const pool = new Pool({ url, log: makeLog('error') })
  return {
    url,
    pool,
    async drop() {
      await pool.close()
      await administer(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
