import { spawn } from 'node:child_process'
import { open, readFile, rename, stat } from 'node:fs/promises'
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
  type StopStep,
  stopProcess,
  until,
} from './process.ts'
import { plainEnvironment, type UserIds } from './unprivileged-user.ts'

export type Launch = {
  readonly program: string
  readonly args: readonly string[]
  readonly user?: UserIds | undefined
  /** File to which standard output and error are appended. A file larger than 4 MB is renamed first. */
  readonly logPath: string
  readonly isReady: (launched: ProcessIdentity) => boolean | Promise<boolean>
  readonly timeoutMs: number
  readonly stop?: AbortSignal | undefined
  readonly stopSteps?: readonly StopStep[]
}

const logLimitBytes = 4_000_000
const byForce: readonly StopStep[] = [{ signal: 'SIGKILL', waitMs: 5_000 }]

/**
 * Starts a program and waits until it is ready. After a timeout or an abort, the program has ended when the
 * function rejects.
 *
 * The program has its own session, so that Ctrl-C reaches only the service, which then ends it. It writes to
 * a file, because a pipe would break when the service is killed.
 */
export async function launchProcess(launch: Launch): Promise<ProcessIdentity> {
  const { program, args, user, logPath } = launch
  launch.stop?.throwIfAborted()
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
  const isDecided = async () => !identity || !isRunning(identity) || launch.isReady(identity)
  const isInTime = await until(isDecided, launch.timeoutMs, launch.stop)
  if (identity && isRunning(identity)) {
    if (isInTime && !launch.stop?.aborted) return identity
    await stopProcess(identity, launch.stopSteps ?? byForce)
  }
  launch.stop?.throwIfAborted()
  const said = (await readFile(logPath)).subarray(logStart).toString().slice(-4_000).trim()
  throw new Error(`${program} did not start:\n${said}`)
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
