import type { Pool } from '../../src/platform/database/database.ts'

type Table = {
  readonly name: string
  /** Names of the columns that are not generated. */
  readonly columns: string
}

/** Removes all rows. Faster than `TRUNCATE` for few rows. */
export async function emptyDatabase(pool: Pool): Promise<void> {
  const tables = await listTables(pool)
  await runUnchecked(
    pool,
    tables.map(({ name }) => `DELETE FROM public.${name};`),
  )
}

/** Copies all committed rows to tables that the service does not see. */
export async function copyDatabase(pool: Pool): Promise<void> {
  const tables = await listTables(pool)
  await runUnchecked(pool, [
    'CREATE SCHEMA IF NOT EXISTS copied;',
    ...tables.flatMap(({ name }) => [
      `CREATE UNLOGGED TABLE IF NOT EXISTS copied.${name} (LIKE public.${name});`,
      `DELETE FROM copied.${name};`,
      `INSERT INTO copied.${name} SELECT * FROM public.${name};`,
    ]),
  ])
}

/** Puts back the rows of the last copy. No transaction may be open. */
export async function restoreDatabase(pool: Pool): Promise<void> {
  const tables = await listTables(pool)
  await runUnchecked(
    pool,
    tables.flatMap(({ name, columns }) => [
      `DELETE FROM public.${name};`,
      `INSERT INTO public.${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM copied.${name};`,
    ]),
  )
}

function listTables(pool: Pool): Promise<Table[]> {
  const text = `SELECT relname AS name, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND attnum > 0 AND NOT attisdropped AND attgenerated = '' GROUP BY relname ORDER BY relname`
  return pool.rows<Table>({ name: 'list-tables', text })
}

/** Runs statements without triggers and foreign keys. */
async function runUnchecked(pool: Pool, statements: readonly string[]): Promise<void> {
  const unchecked = "PERFORM set_config('session_replication_role', 'replica', true);"
  await pool.run({ name: '', text: `DO $$ BEGIN ${unchecked} ${statements.join(' ')} END $$` })
}
