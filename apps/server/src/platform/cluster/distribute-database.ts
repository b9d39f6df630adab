import pg from 'pg'
import { migrationLimits } from '../database/limits.ts'
import { explainConnect } from '../database/opening/explain-database.ts'
import { migrate } from '../database/opening/migrate.ts'
import type { Log } from '../log.ts'
import {
  type Distribution,
  distribute,
  isDistributed,
  isLeftToPlace,
  listForeign,
  type Placement,
} from './distribute.ts'
import { ClusterUnfit, validateCluster } from './validate-cluster.ts'

/**
 * Migrates the database of a Citus coordinator and distributes its tables.
 *
 * Safe to repeat and to abort at any moment, because one transaction places all tables.
 *
 * @throws {DatabaseUnusable} if the database is unreachable.
 * @throws {ClusterUnfit} if the cluster is not ready, or a service uses the database.
 */
export async function distributeDatabase(needs: {
  url: string
  log: Log
  shardCount?: number
  report?: (table: string, as: Placement) => void
}): Promise<Distribution> {
  const { url, log } = needs
  const client = new pg.Client({ connectionString: url, application_name: 'sluice-distribute' })
  client.on('error', () => {})
  await client.connect().catch((error: unknown) => {
    throw explainConnect(error, url)
  })
  try {
    await client.query(migrationLimits)
    await validateCluster(client)
    await refuseServices(client)
    await migrate({ url, log })
    return await distribute(client, needs)
  } finally {
    await client.end()
  }
}

/**
 * Places the tables that a release added, if the schema is on a cluster.
 *
 * If there are none, it contacts no worker and takes no lock, so that a process can start while a worker is
 * away.
 */
export async function placeNewTables({ url, log }: { url: string; log: Log }): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'sluice-distribute' })
  client.on('error', () => {})
  await client.connect().catch((error: unknown) => {
    throw explainConnect(error, url)
  })
  try {
    await client.query(migrationLimits)
    if (!(await isDistributed(client))) return
    const tables = await listForeign(client)
    if (tables.length > 0) log.warn({ tables }, 'tables without a migration are not distributed')
    if (await isLeftToPlace(client)) await distribute(client)
  } finally {
    await client.end()
  }
}

/**
 * Throws if a service uses the database: it would wait for each table that moves, and abort requests
 * meanwhile.
 */
async function refuseServices(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ count: string }>(
    `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'sluice'`,
  )
  if (rows[0]?.count === '0') return
  throw new ClusterUnfit(
    `A service is using this database (${rows[0]?.count} connections). Stop all of its processes first. Otherwise, their requests would wait for the tables that are being moved`,
  )
}
