import { join } from 'node:path'
import pg from 'pg'
import { withFreePort } from '../process/free-port.ts'
import { launchProcess } from '../process/launch-process.ts'
import { describeProcess, type ProcessIdentity } from '../process/process.ts'
import { roleName } from './cluster.ts'
import type { PostgresHome } from './home.ts'
import { findPostmaster, stopSteps } from './leftover.ts'

export type PostgresServer = {
  readonly home: PostgresHome
  readonly binDir: string
  readonly cluster: string
  readonly settings: Readonly<Record<string, string>>
  readonly password: string
}

export type RunningPostgres = { readonly identity: ProcessIdentity; readonly port: number }

/** Limit of a start, including crash recovery. */
const startTimeoutMs = 120_000

/** Returns the command line. Two servers with the same command line behave alike. */
export function postgresArguments(server: PostgresServer, port: number): string[] {
  const settings = Object.entries(server.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', server.cluster, '-p', String(port), ...settings]
}

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

/** Adopts the PostgreSQL that a killed service left behind if program, settings and password match. */
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
    const response = await client.query<{ is_ours: boolean }>(
      "SELECT current_setting('data_directory') = $1 AS is_ours",
      [server.cluster],
    )
    if (!response.rows[0]?.is_ours) return undefined
    // Ends the killed service's sessions, as a stop would have done.
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

export function urlOf(server: PostgresServer, port: number, database: string): string {
  return `postgres://${roleName}:${server.password}@127.0.0.1:${port}/${database}`
}
