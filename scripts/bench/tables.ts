import type pg from 'pg'

/** A table's name and the columns that an INSERT may set. */
export type Table = { readonly name: string; readonly columns: readonly string[] }

/** The receipt from which all others are copied. */
export type Model = { readonly merchant: string; readonly id: string }

/**
 * Finds the tables that have all of these columns.
 *
 * The benchmark identifies tables by their columns only, so that it still works after a table is renamed.
 */
async function listTables(client: pg.Client, columns: readonly string[]): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT table_name AS name, array_agg(column_name::text) FILTER (WHERE is_generated = 'NEVER') AS columns
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
      GROUP BY table_name HAVING array_agg(column_name::text) @> $1`,
    [columns],
  )
  return rows
}

/** Returns the table of receipts. @throws unless exactly one table has its columns. */
export async function getReceiptTable(client: pg.Client): Promise<Table> {
  const tables = await listTables(client, [
    'merchant',
    'id',
    'lines',
    'total_cents',
    'currency',
    'created_at',
  ])
  const [table] = tables
  if (!table || tables.length > 1)
    throw new Error(
      `tables with the columns of receipts: ${tables.map(({ name }) => name).join(', ') || 'none'}`,
    )
  return table
}

/**
 * Copies the model and its rows in other tables as `bench-1` to `bench-<count>`, one per second until now.
 */
export async function copyReceipts(client: pg.Client, model: Model, merchant: string, count: number) {
  const copy = async ({ name, columns }: Table, idColumn: string) => {
    const values = columns.map((column) => {
      if (column === 'merchant') return '$3'
      if (column === idColumn) return "'bench-' || i"
      if (column === 'created_at') return 'created_at - ($4 - i) * 1000'
      return column
    })
    const { rowCount } = await client.query(
      `INSERT INTO ${name} (${columns}) SELECT ${values} FROM ${name}, generate_series(1, $4::int8) AS i
        WHERE merchant = $1 AND ${idColumn} = $2 ON CONFLICT DO NOTHING`,
      [model.merchant, model.id, merchant, count],
    )
    return rowCount
  }
  if ((await copy(await getReceiptTable(client), 'id')) !== count) throw new Error('receipts were not copied')
  for (const table of await listTables(client, ['merchant', 'receipt_id'])) await copy(table, 'receipt_id')
}

/** Returns the plain single-table statements for pgbench; `:n` is a random number. */
export async function makePlainStatements(client: pg.Client, { merchant, id }: Model) {
  const { name, columns } = await getReceiptTable(client)
  const { rows } = await client.query({
    text: `SELECT ${columns.map((column) => `${column}::text`)} FROM ${name} WHERE merchant = $1 AND id = $2`,
    values: [merchant, id],
    rowMode: 'array',
  })
  const [model = []] = rows as (string | null)[][]
  const values = columns.map((column, i) =>
    column === 'id' ? "'plain-' || :n" : toLiteral(model[i] ?? null),
  )
  const ofMerchant = `SELECT * FROM ${name} WHERE merchant = ${toLiteral(merchant)}`
  return {
    create: `INSERT INTO ${name} (${columns}) VALUES (${values})`,
    read: `${ofMerchant} AND id = 'bench-' || :n`,
    list: `${ofMerchant} ORDER BY created_at DESC, id DESC LIMIT 100`,
  }
}

/** Returns a literal without colons, because pgbench would read a colon as the start of a variable. */
function toLiteral(value: string | null): string {
  if (value === null) return 'NULL'
  const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll(':', '\\x3a')
  return `E'${escaped}'`
}
