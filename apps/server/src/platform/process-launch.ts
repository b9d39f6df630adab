import { spawn } from 'node:child_process'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { identifyProcess, isRunning, type ProcessIdentity, until } from './process.ts'
import { plainEnvironment, type UserIds } from './process-user.ts'

/** A program that is to run beside us. */
export type Launch = {
  readonly program: string
  readonly args: readonly string[]
  readonly user?: UserIds | undefined
  /** Its standard output and error are appended here; above 4 MB the file is set aside first. */
  readonly logPath: string
  readonly isReady: () => boolean | Promise<boolean>
  readonly timeoutMs: number
}

const logLimitBytes = 4_000_000

/**
 * Starts a program and waits until it is ready.
 *
 * It gets a session of its own, so that Ctrl-C reaches the service first, which then ends it in its
 * turn, and it writes to a file, since a pipe would break when the service is killed.
 */
export async function launchProcess(launch: Launch): Promise<ProcessIdentity> {
  const { program, args, user, logPath } = launch
  if ((await sizeOf(logPath)) > logLimitBytes) await rename(logPath, `${logPath}.old`)
  const logStart = await sizeOf(logPath)
  const logFile = await open(logPath, 'a', 0o600)
  const child = spawn(program, args, {
    ...(user && { uid: user.uid, gid: user.gid }),
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
  const isAlive = () => identity !== undefined && isRunning(identity)
  const isDecided = await until(async () => !isAlive() || (await launch.isReady()), launch.timeoutMs)
  if (identity && isAlive() && isDecided) return identity
  if (isAlive()) child.kill('SIGKILL')
  const said = (await readFile(logPath)).subarray(logStart).toString().slice(-4_000).trim()
  throw new Error(`${program} did not start:\n${said}`)
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
