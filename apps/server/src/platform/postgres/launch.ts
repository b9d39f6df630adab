import { join } from 'node:path'
import pg from 'pg'
import { withFreePort } from '../process/free-port.ts'
import { launchProcess } from '../process/launch-process.ts'
import { describeProcess, type ProcessIdentity } from '../process/process.ts'
import { roleName } from './cluster.ts'
import type { PostgresHome } from './home.ts'
import { findPostmaster, stopSteps } from './leftover.ts'

/** What there is to know of an embedded PostgreSQL before it runs. */
export type PostgresServer = {
  readonly home: PostgresHome
  readonly binDir: string
  readonly cluster: string
  readonly settings: Readonly<Record<string, string>>
  readonly password: string
}

/** One that runs. */
export type RunningPostgres = { readonly identity: ProcessIdentity; readonly port: number }

/** How long a start may take, recovery after a crash included. */
const startTimeoutMs = 120_000

/** The command line of a PostgreSQL; two with the same one behave alike. */
export function postgresArguments(server: PostgresServer, port: number): string[] {
  const settings = Object.entries(server.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', server.cluster, '-p', String(port), ...settings]
}

/** Starts PostgreSQL on `port` and waits until it takes connections. */
export function launchPostgres(
  server: PostgresServer,
  port: number,
  stop?: AbortSignal,
): Promise<ProcessIdentity> {
  return launchProcess({
    program: join(server.binDir, 'postgres'),
    args: postgresArguments(server, port),
    user: server.home.user,
    logPath: join(server.home.path, 'postgres.log'),
    isReady: async () => (await findPostmaster(server.cluster))?.isReady === true,
    timeoutMs: startTimeoutMs,
    stop,
    stopSteps,
  })
}

/** As {@link launchPostgres}, on `preferred` if that is free. Should another program get a port first, another is tried. */
export async function launchPostgresOnFreePort(
  server: PostgresServer,
  preferred: number | undefined,
  stop?: AbortSignal,
): Promise<RunningPostgres> {
  return withFreePort(preferred, async (port) => ({
    identity: await launchPostgres(server, port, stop),
    port,
  }))
}

/**
 * The PostgreSQL that a killed service has left behind on `server`'s cluster, where it is just the one
 * that would be started now: same program, same settings, and it answers to our password.
 */
export async function takeOverPostgres(server: PostgresServer): Promise<RunningPostgres | undefined> {
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

/** Where a client finds `database`, with the password. */
export function urlOf(server: PostgresServer, port: number, database: string): string {
  return `postgres://${roleName}:${server.password}@127.0.0.1:${port}/${database}`
}
