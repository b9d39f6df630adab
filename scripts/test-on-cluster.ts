import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { distributeDatabase } from '../apps/server/src/platform/cluster/distribute-database.ts'
import { makeLog } from '../apps/server/src/platform/log.ts'
import { findFreePort } from '../apps/server/src/platform/process/process.ts'
import { unprivilegedUser } from '../apps/server/src/platform/process/unprivileged-user.ts'
import {
  inDatabase,
  templateName,
  withDatabase,
} from '../apps/server/test/support/database/shared-postgres.ts'
import { runCommand } from './run/run-command.ts'

// Runs server tests, selected by parts of their paths, on a Citus cluster: a coordinator and two workers in a
// temporary folder. Requires a PostgreSQL with Citus; `pg_config` must belong to it.

type ClusterUrls = { readonly coordinator: string; readonly workers: readonly string[] }

const testShards = 4

const cluster = await startCluster()
try {
  const { urls } = cluster
  await makeSpreadDatabase(urls, templateName)
  await closeForCopies(urls, templateName)
  const { exitCode } = await runCommand(
    'vitest',
    ['run', '--project', 'server', '--project', 'deep', '--maxWorkers', '2', ...process.argv.slice(2)],
    {
      show: (text: string) => void process.stdout.write(text),
      env: { TEST_POSTGRES_URL: urls.coordinator, TEST_POSTGRES_WORKERS: urls.workers.join(',') },
    },
  )
  process.exitCode = exitCode ?? 1
} finally {
  await cluster.stop()
}

/** Starts a coordinator and two workers in a temporary folder, with the PostgreSQL of `pg_config`. */
async function startCluster(): Promise<{ urls: ClusterUrls; stop(): Promise<void> }> {
  const programs = (await must('pg_config', ['--bindir'])).trim()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-scale-'))
  // The nodes run as another user.
  chmodSync(folder, 0o755)
  const nodes: Awaited<ReturnType<typeof startNode>>[] = []
  const stop = async () => {
    for (const node of nodes) await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const name of ['coordinator', 'worker-1', 'worker-2'])
      nodes.push(await startNode(programs, join(folder, name)))
  } catch (error) {
    await stop()
    throw error
  }
  const [coordinator = '', ...workers] = nodes.map(({ url }) => url)
  return { urls: { coordinator, workers }, stop }
}

/** Creates a database whose tables are distributed over the workers. */
async function makeSpreadDatabase({ coordinator, workers }: ClusterUrls, name: string): Promise<void> {
  for (const node of [coordinator, ...workers]) {
    await inDatabase(
      node,
      'SET citus.enable_create_database_propagation TO off',
      `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
      `CREATE DATABASE ${name}`,
    )
    await inDatabase(withDatabase(node, name), 'CREATE EXTENSION citus')
  }
  const url = withDatabase(coordinator, name)
  const addressOf = (node: string) => `'${new URL(node).hostname}', ${new URL(node).port || 5432}`
  await inDatabase(
    url,
    `SELECT citus_set_coordinator_host(${addressOf(coordinator)})`,
    ...workers.map((worker) => `SELECT citus_add_node(${addressOf(worker)})`),
  )
  await distributeDatabase({ url, log: makeLog('error'), shardCount: testShards })
}

/** Closes a database for all sessions, so that it can be copied: Citus keeps a connection to each open database. */
async function closeForCopies({ coordinator, workers }: ClusterUrls, name: string): Promise<void> {
  for (const node of [coordinator, ...workers])
    await inDatabase(
      node,
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
}

/** Returns settings that are unsafe after a power failure, which the tests do not simulate. */
function settings(port: number): string {
  return `
port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 400
max_prepared_transactions = 800
max_worker_processes = 64
max_locks_per_transaction = 512
fsync = off
wal_level = logical
shared_preload_libraries = 'citus'
citus.node_conninfo = 'sslmode=disable'
`
}

/**
 * Starts PostgreSQL in a folder, as another user if this process is root, because PostgreSQL does not run as
 * root.
 */
async function startNode(programs: string, folder: string) {
  const port = await findFreePort()
  mkdirSync(folder)
  const user = process.getuid?.() === 0 ? await unprivilegedUser() : undefined
  if (user) chownSync(folder, user.uid, user.gid)
  const asUser = user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
  const run = async (program: string, ...args: readonly string[]) => {
    const [command = '', ...rest] = [...asUser, join(programs, program), ...args]
    // libpq looks for certificates in HOME.
    await must(command, rest, { cwd: '/', env: { HOME: folder } })
  }
  const data = join(folder, 'data')
  await run('initdb', '-D', data, '-U', 'sluice', '--auth=trust', '-E', 'UTF8', '--locale=C')
  writeFileSync(join(data, 'postgresql.conf'), settings(port), { flag: 'a' })
  await run('pg_ctl', 'start', '-D', data, '-w', '-l', join(folder, 'log'))
  const stop = () => run('pg_ctl', 'stop', '-D', data, '-w', '-m', 'immediate').catch(() => {})
  return { url: `postgres://sluice@127.0.0.1:${port}/postgres`, stop }
}

async function must(command: string, args: readonly string[], options = {}): Promise<string> {
  const { exitCode, output } = await runCommand(command, args, options)
  if (exitCode !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output.slice(-2000)}`)
  return output
}
