import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { readPage } from '../../../../scripts/guide/read-blocks.ts'
import { makeTestDatabase } from '../support/database/test-database.ts'
import { perFile } from '../support/per-file.ts'

const database = perFile(() => makeTestDatabase())

test.each(['docs/chain.md'])('PostgreSQL prepares every statement of %s on the schema', async (page) => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  const blocks = readPage(page).filter(({ language, notRun }) => language === 'sql' && notRun === undefined)
  const statements = blocks.flatMap(({ text }) => text.split(/;$/m)).filter((text) => text.trim() !== '')
  expect(statements.length).toBeGreaterThan(0)
  for (const [i, statement] of statements.entries()) await client.query(`PREPARE shown_${i} AS ${statement}`)
})
