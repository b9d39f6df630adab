import { execFile } from 'node:child_process'
import { chown, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { migrate } from '../../../src/platform/database/opening/migrate.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { preparePostgresBinaries } from '../../../src/platform/postgres/binaries.ts'
import { roleName } from '../../../src/platform/postgres/cluster.ts'
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.ts'
import { preparePostgresHome } from '../../../src/platform/postgres/home.ts'
import { launchPostgresOnFreePort } from '../../../src/platform/postgres/launch.ts'
import { stopPostmaster } from '../../../src/platform/postgres/leftover.ts'
import { inDatabase } from '../../support/database/shared-postgres.ts'
import { freezePostgres } from '../../support/kill/parts.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'

/** A PostgreSQL with the schema, and a replica that streams from it. */
export type ReplicatedPostgres = {
  readonly url: string
  readonly replicaUrl: string
  /** Stops applying the WAL on the replica, which still receives it. */
  pauseReplay(): Promise<void>
  resumeReplay(): Promise<void>
  /** Freezes the replica's processes until the returned function is called. */
  freezeReplica(): () => void
  stop(): Promise<void>
}

/** Starts both. A backup over SQL makes the replica, as the embedded PostgreSQL has no `pg_basebackup`. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const log = makeLog('error')
  const folder = await makeTemporaryFolder('replicated', { isSearched: false })
  const primary = await startEmbeddedPostgres({ log }, { dataDir: folder.path })
  const stops: (() => Promise<unknown>)[] = [() => folder.remove(), () => primary.stop()]
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  try {
    await migrate({ url: primary.url, log })
    const home = await preparePostgresHome({ log }, folder.path)
    const binDir = await preparePostgresBinaries({ log }, home.path, home.user)
    const cluster = join(home.path, 'replica')
    await copyCluster(primary.url, join(home.path, 'cluster'), cluster)
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200' }
    const { password } = new URL(primary.url)
    const server = { home, binDir, cluster, settings, password }
    const { identity, port } = await launchPostgresOnFreePort(server, undefined)
    stops.push(() => stopPostmaster(identity))
    const replicaUrl = new URL(primary.url)
    replicaUrl.port = String(port)
    const onReplica = (text: string) => inDatabase(replicaUrl.href, text)
    return {
      url: primary.url,
      replicaUrl: replicaUrl.href,
      pauseReplay: () => onReplica('SELECT pg_wal_replay_pause()'),
      resumeReplay: () => onReplica('SELECT pg_wal_replay_resume()'),
      freezeReplica: () => freezePostgres({ dataDir: cluster }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function copyCluster(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("SELECT pg_backup_start('replica', true)")
    await promisify(execFile)('cp', ['-a', from, to])
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)')
    await promisify(execFile)('find', [join(to, 'pg_wal'), '-type', 'f', '-delete'])
    await rm(join(to, 'postmaster.pid'))
    const { hostname, port, password } = new URL(url)
    const primary = `host=${hostname} port=${port} user=${roleName} password=${password}`
    await write(to, 'backup_label', String(rows[0]?.labelfile))
    await write(to, 'standby.signal', '')
    await write(to, 'postgresql.auto.conf', `primary_conninfo = '${primary}'\n`)
  } finally {
    await client.end()
  }
}

async function write(folder: string, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(folder)
  await writeFile(join(folder, name), text)
  await chown(join(folder, name), uid, gid)
}
