import type pg from 'pg'

export class ClusterUnfit extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ClusterUnfit'
  }
}

/** Oldest Citus release with which this schema was tested. */
const oldestCitus = 13

/**
 * Checks that transactions over several nodes are atomic.
 *
 * @throws {ClusterUnfit} with the first obstacle.
 */
export async function validateCluster(client: pg.ClientBase): Promise<void> {
  const ask = async <Row extends object>(text: string) => (await client.query<Row>(text)).rows
  const [extension] = await ask<{ version: string }>(
    "SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'",
  )
  if (!extension)
    throw new ClusterUnfit(
      'This database has no Citus. Install Citus on every node, put it into shared_preload_libraries, and run CREATE EXTENSION citus in this database on each of them',
    )
  if (Number.parseInt(extension.version, 10) < oldestCitus)
    throw new ClusterUnfit(`Citus ${extension.version} is too old: use ${oldestCitus} or newer`)
  const nodes = await ask<{ name: string; port: number; group: number; holds: boolean; active: boolean }>(
    `SELECT nodename AS name, nodeport AS port, groupid AS group, shouldhaveshards AS holds, isactive AS active
      FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid`,
  )
  const [local] = await ask<{ group: number }>('SELECT groupid AS group FROM pg_dist_local_group')
  if (local?.group !== 0)
    throw new ClusterUnfit('This is a worker. Set DATABASE_URL to the coordinator, where all statements go')
  if (!nodes.some(({ group }) => group === 0))
    throw new ClusterUnfit(
      "The coordinator does not know its own address and cannot hold the tables that belong to no merchant. Run: SELECT citus_set_coordinator_host('host', port)",
    )
  if (!nodes.some(({ group, holds }) => group !== 0 && holds))
    throw new ClusterUnfit(
      "The cluster has no workers. For each worker, run: SELECT citus_add_node('host', port)",
    )
  const idle = nodes.find(({ active }) => !active)
  if (idle)
    throw new ClusterUnfit(
      `The node ${idle.name}:${idle.port} is not active. Run: SELECT citus_activate_node('${idle.name}', ${idle.port})`,
    )
  await validateNodes(client)
}

/** Two-phase commit prepares a transaction on each node first. */
async function validateNodes(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ node: string; ok: boolean; result: string }>(
    `SELECT n.nodename || ':' || n.nodeport AS node, success AS ok, result
      FROM run_command_on_all_nodes('SHOW max_prepared_transactions') r JOIN pg_dist_node n USING (nodeid)`,
  )
  for (const { node, ok, result } of rows) {
    if (!ok) throw new ClusterUnfit(`The node ${node} does not respond: ${result}`)
    if (Number(result) === 0)
      throw new ClusterUnfit(
        `max_prepared_transactions is 0 on ${node}: a transaction across several nodes could commit on one node but not on another. Set it to twice max_connections and restart the node`,
      )
  }
}
