import pg from 'pg'

type Column = {
  readonly table: string
  readonly column: string
  readonly type: string
  /** It names a row among those of all merchants. */
  readonly isUniqueAlone: boolean
}

/**
 * Fills every table that has rows of `merchant` with copies of them, `rows` or somewhat fewer, of merchants that are made up
 * for it. The statistics are new.
 */
export async function multiplyRows(url: string, merchant: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // What a row refers to is copied too, though maybe later.
    await client.query('SET session_replication_role = replica')
    const { rows: found } = await client.query<Column>(listColumns)
    for (const [table, columns] of Map.groupBy(found, ({ table }) => table))
      await client.query(copyOf(table, columns), [merchant, rows])
    await client.query('ANALYZE')
  } finally {
    await client.end()
  }
}

function copyOf(table: string, columns: readonly Column[]): string {
  const names = columns.map(({ column }) => `"${column}"`)
  const values = columns.map(({ column, type, isUniqueAlone }) => {
    if (column === 'merchant' || column === 'wallet') return `'0x' || lpad(to_hex(n), 40, '0')`
    if (!isUniqueAlone) return `"${column}"`
    return type === 'text'
      ? `left("${column}", length("${column}") - 4) || lpad(to_hex(n), 4, '0')`
      : `"${column}" + n * 1000`
  })
  return `INSERT INTO "${table}" (${names.join(', ')}) SELECT ${values.join(', ')}
    FROM "${table}", generate_series(1, $2::int8 / greatest(1, (SELECT count(*) FROM "${table}" WHERE merchant = $1))) AS n
    WHERE merchant = $1 ON CONFLICT DO NOTHING`
}

const listColumns = `SELECT c.table_name AS table, c.column_name AS column, c.data_type AS type, EXISTS (
      SELECT 1 FROM pg_index i
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) AND a.attname = c.column_name
      WHERE i.indrelid = c.table_name::regclass AND i.indisunique AND NOT EXISTS (
        SELECT 1 FROM pg_attribute m
        WHERE m.attrelid = i.indrelid AND m.attnum = ANY (i.indkey) AND m.attname = 'merchant')) AS "isUniqueAlone"
  FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'
    AND (c.is_identity = 'NO' OR c.identity_generation = 'BY DEFAULT')
    AND EXISTS (SELECT 1 FROM information_schema.columns m WHERE m.table_schema = 'public'
      AND m.table_name = c.table_name AND m.column_name = 'merchant')
  ORDER BY 1, c.ordinal_position`
