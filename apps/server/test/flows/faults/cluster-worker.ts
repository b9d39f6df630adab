import { spawn } from 'node:child_process'
import { openSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import {
  describeProcess,
  findProcesses,
  isRunning,
  type ProcessIdentity,
  until,
} from '../../../src/platform/process/process.ts'
import { recoveryMs } from '../../support/kill/replica.ts'

/** Harm to a worker of the cluster. */
export type WorkerFault = 'freeze' | 'kill'

/** A worker of the run's database cluster, on this machine, that may be harmed. */
export type ClusterWorker = {
  readonly isFaulty: boolean
  /** Start of the time in which the replicas have recovered from its harm, on this process's clock. */
  readonly wellSince: number | undefined
  /** Stops all of its processes, or kills them. */
  harm(fault: WorkerFault): Promise<void>
  /** Continues or restarts the worker, and waits until it answers. */
  heal(): Promise<void>
}

const endLimitMs = 10_000
/** A restarted worker replays its log first. */
const answerLimitMs = 120_000
const connectLimitMs = 2_000

/** Returns the worker whose maintenance database is at `url`. */
export async function findWorker(url: string): Promise<ClusterWorker> {
  const folder = await askFolder(url)
  const readPid = () => Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
  const { program } = describeProcess(readPid())
  const { uid, gid } = statSync(folder)
  const log = openSync(join(dirname(folder), 'log'), 'a')
  let parts: readonly ProcessIdentity[] = []
  let fault: WorkerFault | undefined
  let wellSince: number | undefined = performance.now()
  const start = () => {
    const child = spawn(program, ['-D', folder], {
      ...(process.getuid?.() === 0 && { uid, gid }),
      cwd: '/',
      // libpq looks for certificates in HOME.
      env: { HOME: dirname(folder) },
      detached: true,
      stdio: ['ignore', log, log],
    })
    child.unref()
    return child
  }
  return {
    get isFaulty() {
      return fault !== undefined
    },
    get wellSince() {
      return wellSince
    },
    async harm(next) {
      fault = next
      wellSince = undefined
      const signal = next === 'freeze' ? 'SIGSTOP' : 'SIGKILL'
      // The postmaster first: it starts no others after that.
      process.kill(readPid(), signal)
      parts = findParts(folder)
      for (const part of parts) send(part, signal)
      const isDone = next === 'freeze' || (await until(() => !parts.some(isRunning), endLimitMs))
      if (!isDone) throw new Error('the worker does not die')
    },
    async heal() {
      if (fault === undefined) return
      if (fault === 'freeze') for (const part of parts) send(part, 'SIGCONT')
      let started = fault === 'kill' ? start() : undefined
      const isBack = () => {
        // PostgreSQL does not start while the killed process still exists.
        if (started && started.exitCode !== null) started = start()
        return answers(url)
      }
      if (!(await until(isBack, answerLimitMs))) throw new Error('the worker does not come back')
      fault = undefined
      wellSince = performance.now() + recoveryMs
    },
  }
}

function findParts(folder: string): ProcessIdentity[] {
  return findProcesses(
    ({ program, workingDir }) => program.endsWith('/postgres') && workingDir.startsWith(folder),
  )
}

/** Sends a signal; a process that has ended needs none. */
function send({ pid }: ProcessIdentity, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

async function askFolder(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
    return rows[0]?.data_directory ?? ''
  } finally {
    await client.end()
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectLimitMs })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
