import { distributeDatabase } from '../../apps/server/src/platform/cluster/distribute-database.ts'
import { migrate } from '../../apps/server/src/platform/database/opening/migrate.ts'
import { makeLog } from '../../apps/server/src/platform/log.ts'
import { inDatabase, withDatabase } from '../../apps/server/test/support/database/shared-postgres.ts'

/** A cluster by the URLs of its nodes' maintenance databases. */
export type ClusterUrls = { readonly coordinator: string; readonly workers: readonly string[] }

const log = makeLog('error')

/** Makes a database with the schema on one PostgreSQL. */
export async function makePlainDatabase(url: string, name: string): Promise<string> {
  await inDatabase(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `CREATE DATABASE ${name}`)
  await migrate({ url: withDatabase(url, name), log })
  return withDatabase(url, name)
}

/** Makes a database with the schema spread over the workers of a cluster. */
export async function makeSpreadDatabase(
  { coordinator, workers }: ClusterUrls,
  name: string,
  shardCount: number,
): Promise<string> {
  for (const node of [coordinator, ...workers]) {
    await inDatabase(
      node,
      'SET citus.enable_create_database_propagation TO off',
      dropped(name),
      `CREATE DATABASE ${name}`,
    )
    await inDatabase(withDatabase(node, name), 'CREATE EXTENSION citus')
  }
  const url = withDatabase(coordinator, name)
  const place = (node: string) => `'${new URL(node).hostname}', ${new URL(node).port || 5432}`
  await inDatabase(
    url,
    `SELECT citus_set_coordinator_host(${place(coordinator)})`,
    ...workers.map((worker) => `SELECT citus_add_node(${place(worker)})`),
  )
  await distributeDatabase({ url, log, shardCount })
  return url
}

const dropped = (name: string) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`

/** Closes a database for everybody, so that it can be copied: Citus itself keeps a connection to each that is open. */
export async function closeForCopies({ coordinator, workers }: ClusterUrls, name: string): Promise<void> {
  for (const node of [coordinator, ...workers])
    await inDatabase(
      node,
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
}
