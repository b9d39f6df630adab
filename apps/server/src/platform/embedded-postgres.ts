import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { preparePostgresBinaries } from './embedded-postgres-binaries.ts'
import { prepareCluster, resetPassword, roleName } from './embedded-postgres-cluster.ts'
import { type PostgresHome, preparePostgresHome } from './embedded-postgres-home.ts'
import { launchPostgres, postgresArguments } from './embedded-postgres-launch.ts'
import { findPostmaster, stopLeftover, stopPostmaster } from './embedded-postgres-leftover.ts'
import { type InstanceLock, lockDirectory } from './instance-lock.ts'
import type { Log } from './log.ts'
import { writePrivateFile } from './private-file.ts'
import { describeProcess, findFreePort, isRunning, type ProcessIdentity } from './process.ts'

/** What is set otherwise than PostgreSQL would: safe on disk, reached from this machine alone, and no values in its log. */
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

/** How long a start may take, recovery after a crash included. */
const startTimeoutMs = 120_000

const watchEveryMs = 500

type Access = { readonly password: string; readonly port?: number }

/**
 * Starts the PostgreSQL that comes with the service on `dataDir`/postgres, without root.
 *
 * One that a killed service has left behind is taken over where it is the same program with the same
 * settings and answers; else it is stopped first. There are never two on one directory. It listens on
 * 127.0.0.1 only, on the same port as the last time where that is free.
 *
 * The programs are driven directly rather than through the wrapper class of `embedded-postgres`: that
 * one ends its PostgreSQL with the process, knows no leftovers, and hands our environment on.
 *
 * @param options - `isThrowaway` gives up safety on disk for speed: for tests.
 * @throws {DirectoryInUse} while another service works on it.
 */
export async function startEmbeddedPostgres(
  needs: { log: Log },
  options: { dataDir: string; isThrowaway?: boolean },
): Promise<EmbeddedPostgres> {
  const { log } = needs
  const home = await preparePostgresHome(needs, options.dataDir)
  const lock = await lockDirectory(home.path)
  try {
    const binDir = await preparePostgresBinaries(needs, home.path, home.user)
    const accessFile = join(home.path, 'access.json')
    const known = await readAccess(accessFile)
    const access: Access = known ?? { password: randomBytes(24).toString('base64url') }
    if (!known) await writePrivateFile(accessFile, JSON.stringify(access))
    const isNew = !(await exists(join(home.path, 'cluster')))
    const cluster = await prepareCluster(home, binDir, access.password, options.isThrowaway)
    const settings = { ...durableSettings, ...(options.isThrowaway && throwawaySettings) }
    const server: Server = { home, binDir, cluster, settings, password: access.password }

    let running = known && (await takeOver(server))
    if (running)
      log.info({ port: running.port }, 'took over the PostgreSQL that a killed service left behind')
    else {
      await stopLeftover(cluster)
      if (!known && !isNew) await resetPassword(home, binDir, cluster, access.password)
      running = await launchOnFreePort(server, access.port)
    }
    if (running.port !== access.port)
      await writePrivateFile(accessFile, JSON.stringify({ ...access, port: running.port }))
    await prepareDatabase(server, running.port)
    return new EmbeddedPostgres(needs, server, running, lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** What there is to know of a PostgreSQL before it runs. */
type Server = {
  readonly home: PostgresHome
  readonly binDir: string
  readonly cluster: string
  readonly settings: Readonly<Record<string, string>>
  readonly password: string
}

type Running = { readonly identity: ProcessIdentity; readonly port: number }

/** A running embedded PostgreSQL. Should it die, it is started again on the same port. */
export class EmbeddedPostgres {
  /** The service's own database, with the password. */
  readonly url: string
  readonly #log: Log
  readonly #server: Server
  readonly #lock: InstanceLock
  #running: Running
  readonly #stopping = new AbortController()
  readonly #watching: Promise<void>

  constructor(needs: { log: Log }, server: Server, running: Running, lock: InstanceLock) {
    this.#log = needs.log
    this.#server = server
    this.#running = running
    this.#lock = lock
    this.url = urlOf(server, running.port, roleName)
    this.#watching = this.#watch()
  }

  /** The postmaster's pid at this moment. */
  get pid(): number {
    return this.#running.identity.pid
  }

  /** Ends it, open connections included, and resolves when it is gone. Safe to call twice. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#watching
    if (isRunning(this.#running.identity)) await stopPostmaster(this.#running.identity)
    this.#lock.release()
  }

  async #watch(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await pause(watchEveryMs, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => {})
      if (this.#stopping.signal.aborted || isRunning(this.#running.identity)) continue
      this.#log.error({ pid: this.pid }, 'the embedded PostgreSQL has died; it is started again')
      try {
        await stopLeftover(this.#server.cluster)
        const { port } = this.#running
        this.#running = { identity: await launchPostgres(this.#server, port, startTimeoutMs), port }
        this.#log.info({ pid: this.pid }, 'the embedded PostgreSQL is back')
      } catch (error) {
        this.#log.error({ err: error }, 'the embedded PostgreSQL could not be started again; it is tried on')
      }
    }
  }
}

async function takeOver(server: Server): Promise<Running | undefined> {
  const found = await findPostmaster(server.cluster)
  if (!found?.isReady || process.platform !== 'linux') return undefined
  const { program, args } = describeProcess(found.identity.pid)
  const wanted = postgresArguments(server, found.port)
  if (program !== join(server.binDir, 'postgres') || args.slice(1).join('\0') !== wanted.join('\0'))
    return undefined
  const client = new pg.Client({
    connectionString: urlOf(server, found.port, 'postgres'),
    connectionTimeoutMillis: 3_000,
    query_timeout: 3_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const answer = await client.query<{ is_ours: boolean }>(
      "SELECT current_setting('data_directory') = $1 AS is_ours",
      [server.cluster],
    )
    if (!answer.rows[0]?.is_ours) return undefined
    // What the killed service still had under way ends here, as it would have with a stop.
    await client.query(
      "SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE application_name LIKE 'sluice%'",
    )
    return { identity: found.identity, port: found.port }
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => {})
  }
}

/** Between finding a port free and PostgreSQL taking it, another program may have got it. */
async function launchOnFreePort(server: Server, preferred: number | undefined): Promise<Running> {
  for (let triesLeft = 3; ; triesLeft--) {
    const port = await findFreePort(triesLeft === 3 ? preferred : undefined)
    try {
      return { identity: await launchPostgres(server, port, startTimeoutMs), port }
    } catch (error) {
      if (triesLeft === 1 || !/could not bind/.test(String(error))) throw error
    }
  }
}

async function prepareDatabase(server: Server, port: number): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(server, port, 'postgres') })
  await client.connect()
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [roleName])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${roleName}`)
  } finally {
    await client.end()
  }
}

function urlOf(server: Server, port: number, database: string): string {
  return `postgres://${roleName}:${server.password}@127.0.0.1:${port}/${database}`
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
