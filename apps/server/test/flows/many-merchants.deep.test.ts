import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../src/platform/database/database.ts'
import { sessionHeaders } from '../support/api/call-api.ts'
import { Asker } from '../support/api/raw-requests.ts'
import { isOnCluster } from '../support/database/on-cluster.ts'
import { wrapDatabase } from '../support/database/wrap-database.ts'
import { perFile } from '../support/per-file.ts'
import { nameOfRoute } from '../support/routes/mounted-routes.ts'
import { samples } from '../support/routes/samples.ts'
import { makeTenant } from '../support/service/tenant.ts'
import { startWholeService } from '../support/service/whole-service.ts'
import { filtersOf, queriesOf } from './read-filters.ts'
import { readsWhole, wholeReads } from './reads-whole.ts'

const manyRows = 10_000

/** Statements sent to PostgreSQL, by text. Each has its name and the first request that sent it. */
const sent = new Map<string, { readonly name: string; readonly by: string }>()
let asked = 'a job'
const service = perFile(() => startWholeService({ between: keepTexts }))
const asker = perFile(() => new Asker(service.port))
const tenant = perFile(() => makeTenant(service, asker))
const filters = perFile(() => filtersOf(tenant))
const reads = () =>
  service.routes.filter((route) => {
    const sample = samples[nameOfRoute(route)]
    const isOpen = sample?.as.some((who) => who === 'owner' || who === 'nobody')
    return route.method === 'GET' && sample?.comesTo === 200 && isOpen
  })

function keepTexts(db: Database): Database {
  return wrapDatabase(db, ({ name, text }, run) => {
    if (!sent.has(text)) sent.set(text, { name, by: asked })
    return run()
  })
}

async function askAll(): Promise<string[]> {
  const refused: string[] = []
  for (const route of reads()) {
    const name = nameOfRoute(route)
    const path = samples[name]?.target(tenant) ?? ''
    const limit = parametersOf(route).includes('limit') && { limit: ['2'] }
    for (const query of ['', ...queriesOf({ ...filters[name], ...limit })]) {
      asked = query === '' ? path : `${path.split('?')[0]}?${query}`
      const isPublic = query.startsWith('slug=') || !samples[name]?.as.includes('owner')
      const headers = isPublic ? {} : sessionHeaders(tenant.sessions.owner)
      const { status, text } = await asker.ask({ method: 'GET', target: asked, headers })
      if (status !== 200) refused.push(`${asked}: ${status} ${text}`)
    }
  }
  return refused
}

function parametersOf({ query }: { readonly query?: object }): string[] {
  return Object.keys((query as { readonly properties?: object } | undefined)?.properties ?? {})
}

/** Returns the statements whose plan reads a large table or index completely. */
async function explainSent(): Promise<string[]> {
  const client = new pg.Client({ connectionString: service.database.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(listLarge, [manyRows])
    const large = new Set(rows.map(({ name }) => name))
    expect(large).toContain('receipt')
    const errors: string[] = []
    for (const [text, { name, by }] of sent) {
      if (wholeReads.has(name)) continue
      const whole = await readsWhole(client, text, (name) => large.has(name))
      errors.push(...whole.map((it) => `${name} reads ${it} for ${by}`))
    }
    return errors
  } finally {
    await client.end()
  }
}

const listLarge = `SELECT relname AS name FROM pg_class
  WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace AND reltuples > $1`

describe('with ten thousand rows of other merchants', () => {
  test('there is a question for every parameter of a read', () => {
    const without = reads().flatMap((route) =>
      parametersOf(route)
        .filter((name) => name !== 'limit' && name !== 'cursor')
        .filter((name) => !filters[nameOfRoute(route)]?.[name])
        .map((name) => `${nameOfRoute(route)} ${name}`),
    )
    expect(without).toEqual([])
  })

  test.skipIf(isOnCluster)(
    'no list, filter or search reads a table or an index from end to end',
    async () => {
      await service.clock.advance(2_000)
      await multiplyRows(service.database.url, tenant.wallet, manyRows * 1.2)
      expect(await askAll()).toEqual([])
      expect(sent.size).toBeGreaterThan(180)
      expect(await explainSent()).toEqual([])
    },
  )
})

type Column = {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly isUniqueAlone: boolean
}

/** Copies a merchant's rows to fictitious merchants, about `rows` per table, and updates the statistics. */
async function multiplyRows(url: string, merchant: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Disables foreign keys, since a referenced row may be copied later.
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
