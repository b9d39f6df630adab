import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const migrationsFolder = fileURLToPath(new URL('../../../migrations', import.meta.url))

export type RecordedMigration = { readonly name: string; readonly sha256: string }

/** Tables that describe the running process and the migrations. */
const notRecorded = ['lease', 'migration']

export function listMigrations(): RecordedMigration[] {
  return readdirSync(migrationsFolder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({ name, sha256: createHash('sha256').update(readFile(name)).digest('hex') }))
}

function readFile(name: string): Buffer {
  return readFileSync(join(migrationsFolder, name))
}

/**
 * Returns the content of a database as JSON lines: each table's name before its rows, then the sequences.
 * PostgreSQL formats the numbers, so that none becomes a float.
 */
export async function dumpDatabase(url: string): Promise<string> {
  return withClient(url, async (client) => {
    const lines: string[] = []
    const ask = async (text: string, values: unknown[] = []): Promise<string[]> =>
      (await client.query<{ line: string }>(text, values)).rows.map(({ line }) => line)
    for (const table of await ask(listTables, [notRecorded])) {
      const rows = await ask(`SELECT to_jsonb(it)::text AS line FROM ${table} it ORDER BY 1`)
      if (rows.length > 0) lines.push(JSON.stringify(table), ...rows)
    }
    const sequences = await ask(listSequences)
    return `${[...lines, JSON.stringify('sequences'), ...sequences].join('\n')}\n`
  })
}

export async function restoreDatabase(url: string, dump: string): Promise<void> {
  await withClient(url, async (client) => {
    // Disables foreign keys, since a row may precede the row that it references.
    await client.query('SET session_replication_role = replica')
    let table = ''
    let rows: string[] = []
    const flush = async () => {
      if (rows.length > 0) await fill(client, table, `[${rows.join(',')}]`)
      rows = []
    }
    for (const line of dump.trim().split('\n')) {
      if (!line.startsWith('"')) rows.push(line)
      else {
        await flush()
        table = JSON.parse(line) as string
      }
    }
    await flush()
  })
}

async function fill(client: pg.Client, table: string, rows: string): Promise<void> {
  if (table === 'sequences') {
    const set = `SELECT setval(it->>'name', (it->>'value')::bigint) FROM jsonb_array_elements($1::jsonb) it`
    await client.query(set, [rows])
    return
  }
  const found = await client.query<{ columns: string }>(listStoredColumns, [table])
  const columns = found.rows[0]?.columns
  const insert = `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`
  await client.query(insert, [rows])
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}

const listTables = `SELECT table_name AS line FROM information_schema.tables
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND NOT table_name = ANY ($1) ORDER BY 1`

const listStoredColumns = `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
  WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`

const listSequences = `SELECT jsonb_build_object('name', sequencename, 'value', last_value)::text AS line
  FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY sequencename`
