import { readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  describeProcess,
  findProcesses,
  identifyProcess,
  isRunning,
  type ProcessIdentity,
  stopProcess,
} from '../process/process.ts'

export type Postmaster = {
  readonly identity: ProcessIdentity
  readonly port: number
  readonly isReady: boolean
}

/** Fast shutdown, shutdown without a checkpoint, then kill. The cluster recovers from each. */
export const stopSteps = [
  { signal: 'SIGINT', waitMs: 5_000 },
  { signal: 'SIGQUIT', waitMs: 1_500 },
  { signal: 'SIGKILL', waitMs: 1_500 },
] as const

/**
 * Returns the PostgreSQL that runs on `cluster`, whatever started it.
 *
 * A pid file is stale if its process is not PostgreSQL in this directory, because the pid was reused.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n').map((line) => line.trim())
  const identity = identifyProcess(Number(lines[0]))
  if (!identity || !worksIn(cluster, identity)) return undefined
  return { identity, port: Number(lines[3]), isReady: lines[7] === 'ready' }
}

/**
 * Stops PostgreSQL on `cluster` and removes its pid file.
 *
 * Also ends the children of a killed postmaster, which would keep its shared memory in use.
 */
export async function stopLeftover(cluster: string): Promise<void> {
  const postmaster = await findPostmaster(cluster)
  if (postmaster) await stopPostmaster(postmaster.identity)
  const orphans = findProcesses(({ program, workingDir }) => isPostgres(program) && workingDir === cluster)
  await Promise.all(orphans.map((orphan) => stopProcess(orphan, stopSteps.slice(1))))
  const rest = [...orphans, ...(postmaster ? [postmaster.identity] : [])].filter(isRunning)
  if (rest.length > 0) throw new Error(`PostgreSQL on ${cluster} did not stop (process ${rest[0]?.pid})`)
  await rm(join(cluster, 'postmaster.pid'), { force: true })
}

export async function stopPostmaster(identity: ProcessIdentity): Promise<void> {
  if (!(await stopProcess(identity, stopSteps)))
    throw new Error(`PostgreSQL (process ${identity.pid}) did not stop`)
}

function worksIn(cluster: string, identity: ProcessIdentity): boolean {
  if (process.platform !== 'linux') return true
  const { program, workingDir } = describeProcess(identity.pid)
  return isPostgres(program) && workingDir === cluster
}

/**
 * Returns whether the program is PostgreSQL. Its path ends in ` (deleted)` if a new install has replaced it.
 */
function isPostgres(program: string): boolean {
  return basename(program.replace(/ \(deleted\)$/, '')) === 'postgres'
}
