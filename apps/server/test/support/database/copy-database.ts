import { makeTestDatabase, type TestDatabase } from './test-database.ts'

export async function copyDatabase({ pool }: TestDatabase): Promise<TestDatabase> {
  const copy = await makeTestDatabase()
  const tables = await pool.rows<{ name: string; columns: string }>({
    name: '',
    text: `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns
      FROM information_schema.tables JOIN information_schema.columns USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'migration'
        AND is_generated = 'NEVER' AND is_identity = 'NO'
      GROUP BY table_name`,
  })
  await copy.pool.transaction(async (tx) => {
    // Disables foreign keys, as `pg_restore` does.
    await tx.run({ name: '', text: 'SET LOCAL session_replication_role = replica' })
    for (const { name, columns } of tables) {
      const text = `SELECT coalesce(jsonb_agg(to_jsonb(each)), '[]')::text AS rows FROM "${name}" AS each`
      const [all] = await pool.rows<{ rows: string }>({ name: '', text })
      await tx.run({ name: '', text: `DELETE FROM "${name}"` })
      const from = `jsonb_populate_recordset(NULL::"${name}", $1::jsonb)`
      await tx.run({ name: '', text: `INSERT INTO "${name}" (${columns}) SELECT ${columns} FROM ${from}` }, [
        all?.rows ?? '[]',
      ])
    }
  })
  return copy
}
