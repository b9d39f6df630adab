import type pg from 'pg'
import { listMigratedTables } from '../database/opening/migrate.ts'
import { globalTables } from './global-tables.ts'
import { validateCluster } from './validate-cluster.ts'

/** `spread` distributes a table by merchant over the workers; `managed` keeps it on the coordinator. */
export type Placement = 'spread' | 'managed'

export type Distribution = {
  readonly spread: readonly string[]
  readonly managed: readonly string[]
  /** Tables that no migration creates; they stay unchanged. */
  readonly foreign: readonly string[]
  readonly kept: number
}

/** Tables that Citus must not manage: their upserts read the database's clock, which Citus rejects. */
const plainTables: ReadonlySet<string> = new Set(['lease', 'migration'])

/** Table with which the others are colocated, so that a merchant's rows share one worker. */
const first = 'merchant'

type PlaceOptions = {
  readonly shardCount?: number | undefined
  readonly report?: ((table: string, as: Placement) => void) | undefined
}

/**
 * Places this schema's tables on a Citus cluster: all tables that are not placed yet, or none.
 *
 * A merchant's rows share one worker. Citus manages global tables on the coordinator, so that transactions
 * over both are atomic. Tables that no migration creates stay unchanged. A table accepts no writes while its
 * rows move.
 *
 * @throws {ClusterUnfit} with the remedy if the cluster is not ready.
 */
export async function distribute(client: pg.ClientBase, options: PlaceOptions = {}): Promise<Distribution> {
  await validateCluster(client)
  await client.query('BEGIN')
  try {
    const made = await place(client, options)
    await client.query('COMMIT')
    return made
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS found",
  )
  if (!rows[0]?.found) return false
  const placed = await readPlaced(client)
  return placed.has(first)
}

/** Returns whether any table must be placed. Queries only the coordinator and takes no lock. */
export async function isLeftToPlace(client: pg.ClientBase): Promise<boolean> {
  return (await listLeft(client)).length > 0
}

async function listLeft(client: pg.ClientBase): Promise<string[]> {
  const [own, tables, placed] = [
    await listMigratedTables(),
    await listTables(client),
    await readPlaced(client),
  ]
  return tables.filter((table) => own.has(table) && !placed.has(table) && !plainTables.has(table))
}

export async function listForeign(client: pg.ClientBase): Promise<string[]> {
  const own = await listMigratedTables()
  return (await listTables(client)).filter((table) => !own.has(table) && !plainTables.has(table))
}

async function place(client: pg.ClientBase, { shardCount, report }: PlaceOptions): Promise<Distribution> {
  // If two runs are concurrent, the second finds the work done.
  await client.query(`LOCK TABLE ${first} IN ACCESS EXCLUSIVE MODE`)
  const [left, placed] = [await listLeft(client), await readPlaced(client)]
  const managed = left.filter((table) => globalTables.has(table))
  const spread = left.filter((table) => !globalTables.has(table)).toSorted(byFirst)
  await client.query("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")
  if (left.length > 0) await placeTables(client, { left, managed, spread }, { shardCount, report })
  return { spread, managed, foreign: await listForeign(client), kept: placed.size }
}

async function placeTables(
  client: pg.ClientBase,
  { left, managed, spread }: Readonly<Record<'left' | 'managed' | 'spread', readonly string[]>>,
  { shardCount, report }: PlaceOptions,
): Promise<void> {
  if (shardCount !== undefined) await client.query(`SET LOCAL citus.shard_count TO ${Math.trunc(shardCount)}`)
  // Foreign keys are recreated, because one of their two tables is placed before the other.
  const keys = await takeKeys(client, left)
  for (const table of managed) {
    await client.query('SELECT citus_add_local_table_to_metadata($1::text::regclass)', [table])
    report?.(table, 'managed')
  }
  for (const table of spread) {
    await client.query(
      "SELECT create_distributed_table($1::text::regclass, 'merchant', colocate_with => $2)",
      [table, table === first ? 'none' : first],
    )
    // The copied rows still exist, hidden, in the coordinator's local part of the table.
    await client.query('SELECT truncate_local_data_after_distributing_table($1::text::regclass)', [table])
    report?.(table, 'spread')
  }
  for (const { table, name, definition } of keys)
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
}

function byFirst(a: string, b: string): number {
  return Number(b === first) - Number(a === first)
}

async function listTables(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT relname AS table FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
  )
  return rows.map(({ table }) => table)
}

async function readPlaced(client: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT relname AS table FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
      WHERE relnamespace = 'public'::regnamespace`,
  )
  return new Set(rows.map(({ table }) => table))
}

type Key = { readonly table: string; readonly name: string; readonly definition: string }

async function takeKeys(client: pg.ClientBase, tables: readonly string[]): Promise<Key[]> {
  const { rows } = await client.query<Key>(
    `SELECT quote_ident(own.relname) AS table, quote_ident(conname) AS name, pg_get_constraintdef(con.oid) AS definition
      FROM pg_constraint con JOIN pg_class own ON own.oid = conrelid JOIN pg_class other ON other.oid = confrelid
      WHERE contype = 'f' AND conparentid = 0 AND own.relnamespace = 'public'::regnamespace
        AND (own.relname = ANY ($1::text[]) OR other.relname = ANY ($1::text[]))
      ORDER BY own.relname, conname`,
    [tables],
  )
  for (const { table, name } of rows) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  return rows
}
