import type pg from 'pg'
import { listMigratedTables } from '../database/opening/migrate.ts'
import { globalTables } from './global-tables.ts'
import { judgeCluster } from './judge-cluster.ts'

/** How a table is placed: `spread` by merchant over the workers, or `managed` on the coordinator. */
export type Placement = 'spread' | 'managed'

/** What became of the tables. */
export type Distribution = {
  readonly spread: readonly string[]
  readonly managed: readonly string[]
  /** Which of them no migration makes: they are left as they are. */
  readonly foreign: readonly string[]
  /** How many tables stood where they belong before. */
  readonly kept: number
}

/** Asks for the database's own clock in its upserts, which only a table that Citus does not know may. */
const plainTables: ReadonlySet<string> = new Set(['lease', 'migration'])

/** The table by which the others are placed: each of a merchant's rows stands beside that merchant's. */
const first = 'merchant'

type PlaceOptions = {
  readonly shardCount?: number | undefined
  readonly tell?: ((table: string, as: Placement) => void) | undefined
}

/**
 * Places the tables of this schema on a Citus cluster, those that are not placed yet: all of them, or none.
 *
 * Tables that no migration makes are somebody else's, and left alone. A merchant's rows stand on one worker. What is global is managed by Citus too, on the coordinator: a transaction over
 * one of those tables and a merchant's would otherwise not be atomic. Nothing is written to a table while its rows move.
 *
 * @throws {ClusterUnfit} with what to do where the cluster is not ready for it.
 */
export async function distribute(client: pg.ClientBase, options: PlaceOptions = {}): Promise<Distribution> {
  await judgeCluster(client)
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

/** Whether the schema stands on a cluster, so that tables that come later have to be placed too. */
export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS found",
  )
  if (!rows[0]?.found) return false
  const placed = await readPlaced(client)
  return placed.has(first)
}

/** Whether there is anything to be placed: asked of the coordinator alone, without a lock. */
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

/** The tables of the schema that are not this service's. */
export async function listForeign(client: pg.ClientBase): Promise<string[]> {
  const own = await listMigratedTables()
  return (await listTables(client)).filter((table) => !own.has(table) && !plainTables.has(table))
}

async function place(client: pg.ClientBase, { shardCount, tell }: PlaceOptions): Promise<Distribution> {
  // Two that do this at once: the second finds it done.
  await client.query(`LOCK TABLE ${first} IN ACCESS EXCLUSIVE MODE`)
  const [left, placed] = [await listLeft(client), await readPlaced(client)]
  const managed = left.filter((table) => globalTables.has(table))
  const spread = left.filter((table) => !globalTables.has(table)).toSorted(byFirst)
  await client.query("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")
  if (left.length > 0) await placeTables(client, { left, managed, spread }, { shardCount, tell })
  return { spread, managed, foreign: await listForeign(client), kept: placed.size }
}

async function placeTables(
  client: pg.ClientBase,
  { left, managed, spread }: Readonly<Record<'left' | 'managed' | 'spread', readonly string[]>>,
  { shardCount, tell }: PlaceOptions,
): Promise<void> {
  if (shardCount !== undefined) await client.query(`SET LOCAL citus.shard_count TO ${Math.trunc(shardCount)}`)
  // Keys between tables are dropped and made again: one of the two is placed before the other.
  const keys = await takeKeys(client, left)
  for (const table of managed) {
    await client.query('SELECT citus_add_local_table_to_metadata($1::text::regclass)', [table])
    tell?.(table, 'managed')
  }
  for (const table of spread) {
    await client.query(
      "SELECT create_distributed_table($1::text::regclass, 'merchant', colocate_with => $2)",
      [table, table === first ? 'none' : first],
    )
    // The rows that were copied away are still in the coordinator's own part of the table, unseen.
    await client.query('SELECT truncate_local_data_after_distributing_table($1::text::regclass)', [table])
    tell?.(table, 'spread')
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

/** Drops the foreign keys of tables; what they were. */
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
