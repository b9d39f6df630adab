import { spawn } from 'node:child_process'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PostgresHome } from './embedded-postgres-home.ts'
import { findPostmaster } from './embedded-postgres-leftover.ts'
import { identifyProcess, isRunning, type ProcessIdentity, until } from './process.ts'
import { plainEnvironment } from './process-user.ts'

type Launch = {
  readonly home: PostgresHome
  readonly binDir: string
  readonly cluster: string
  readonly settings: Readonly<Record<string, string>>
}

const logLimitBytes = 4_000_000

/** The command line of a PostgreSQL on `cluster`; two with the same one behave alike. */
export function postgresArguments(launch: Omit<Launch, 'home'>, port: number): string[] {
  const settings = Object.entries(launch.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', launch.cluster, '-p', String(port), ...settings]
}

/**
 * Starts PostgreSQL and waits until it takes connections.
 *
 * It gets a session of its own, so that Ctrl-C reaches the service first, and writes to
 * `postgres.log`, since a pipe would break when the service is killed.
 */
export async function launchPostgres(
  launch: Launch,
  port: number,
  timeoutMs: number,
): Promise<ProcessIdentity> {
  const logPath = join(launch.home.path, 'postgres.log')
  if ((await sizeOf(logPath)) > logLimitBytes) await rename(logPath, `${logPath}.old`)
  const logStart = await sizeOf(logPath)
  const logFile = await open(logPath, 'a', 0o600)
  const child = spawn(join(launch.binDir, 'postgres'), postgresArguments(launch, port), {
    ...(launch.home.user && { uid: launch.home.user.uid, gid: launch.home.user.gid }),
    env: plainEnvironment(),
    cwd: '/',
    detached: true,
    stdio: ['ignore', logFile.fd, logFile.fd],
  })
  const spawned = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  await spawned.finally(() => logFile.close())
  child.unref()
  const identity = identifyProcess(child.pid ?? 0)
  const isReady = async () => (await findPostmaster(launch.cluster))?.isReady === true
  const isOver = async () => !identity || !isRunning(identity) || (await isReady())
  const isDecided = await until(isOver, timeoutMs)
  if (identity && isRunning(identity) && isDecided) return identity
  if (identity && isRunning(identity)) child.kill('SIGQUIT')
  const said = (await readFile(logPath)).subarray(logStart).toString().slice(-4_000).trim()
  throw new Error(`PostgreSQL did not start on ${launch.cluster}:\n${said}`)
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
