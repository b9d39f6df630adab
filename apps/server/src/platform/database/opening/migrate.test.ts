import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../../../test/support/database/test-database.ts'
import { perFile } from '../../../../test/support/per-file.ts'
import { makeLog } from '../../log.ts'
import { DatabaseUnusable } from './explain-database.ts'
import { listMigratedTables, migrate, splitStatements } from './migrate.ts'

const database = perFile(makeTestDatabase)

const wipe = [
  { name: 'test-drop-schema', text: 'DROP SCHEMA public CASCADE' },
  { name: 'test-make-schema', text: 'CREATE SCHEMA public' },
]
const count = { name: 'test-count-migrations', text: 'SELECT count(*) AS count FROM migration' }

const listTables = {
  name: 'test-list-tables',
  text: `SELECT relname AS table FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    ORDER BY relname COLLATE "C"`,
}

test('several processes may migrate at once, and once more changes nothing', async () => {
  const before = await database.pool.row<{ count: bigint }>(count)
  for (const statement of wipe) await database.pool.run(statement)
  const needs = { url: database.url, log: makeLog('silent') }
  await Promise.all([migrate(needs), migrate(needs), migrate(needs)])
  await migrate(needs)
  expect(await database.pool.row(count)).toEqual(before)
})

test('a file is cut at semicolons that end a line, comments apart', () => {
  const text =
    "-- first; not a cut\nCREATE TABLE a (b text DEFAULT 'x; y');\n\n  -- indented;\nCREATE TABLE c (\n  d int\n);\n"
  expect(splitStatements(text)).toEqual([
    "CREATE TABLE a (b text DEFAULT 'x; y')",
    'CREATE TABLE c (\n  d int\n)',
  ])
})

test('the body of a function is not cut', () => {
  const body = 'CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$\nBEGIN\n  RETURN 1;\nEND $$'
  expect(splitStatements(`${body};\nSELECT '$1; a';\nSELECT 2`)).toEqual([body, "SELECT '$1; a'", 'SELECT 2'])
})

test('what the migrations make are all tables of the schema', async () => {
  const rows = await database.pool.rows<{ table: string }>(listTables)
  expect(rows.map(({ table }) => table)).toEqual([...(await listMigratedTables()), 'migration'].toSorted())
})

test('a database that a newer release has migrated is refused, with what to do', async () => {
  const newer = '9999_of-the-next-release'
  await database.pool.run({
    name: '',
    text: `INSERT INTO migration (name, run_on) VALUES ('${newer}', now())`,
  })
  const needs = { url: database.url, log: makeLog('silent') }
  try {
    await expect(migrate(needs)).rejects.toThrow(
      /^DATABASE_URL \(database test_\w+ at .*\): a newer release has migrated it \(9999_of-the-next-release\)\. Run that release/,
    )
    await expect(migrate(needs)).rejects.toThrow(DatabaseUnusable)
  } finally {
    await database.pool.run({ name: '', text: `DELETE FROM migration WHERE name = '${newer}'` })
  }
  await migrate(needs)
})
