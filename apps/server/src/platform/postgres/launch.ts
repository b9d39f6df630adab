import { join } from 'node:path'
import { withFreePort } from '../process/free-port.ts'
import { launchProcess } from '../process/launch-process.ts'
import type { ProcessIdentity } from '../process/process.ts'
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
