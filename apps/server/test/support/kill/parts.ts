import { readFileSync } from 'node:fs'
import { findProcesses, until } from '../../../src/platform/process/process.ts'
import type { DataCopy } from './data.ts'

const patienceMs = 120_000

export type Part = 'postgres' | 'anvil'

/**
 * Returns the pids of the programs with this name that were started for a folder. Skips a child that has just
 * been forked, because it briefly looks like its parent.
 */
export function findPrograms(folder: string, name: Part | 'initdb'): number[] {
  const pids = findProcesses(
    ({ program, args }) => program.endsWith(`/${name}`) && args.some((arg) => arg.includes(folder)),
  ).map(({ pid }) => pid)
  return pids.filter((pid) => !pids.includes(Number(readStat(pid)[1])))
}

export function findPart({ dataDir }: DataCopy, part: Part): number | undefined {
  return findPrograms(dataDir, part)[0]
}

export async function killPart(data: DataCopy, part: Part): Promise<void> {
  const pid = findPart(data, part)
  if (pid === undefined) throw new Error(`there is no ${part} to be killed`)
  process.kill(pid, 'SIGKILL')
  const isBack = () => ![undefined, pid].includes(findPart(data, part))
  if (!(await until(isBack, patienceMs))) throw new Error(`${part} did not come back`)
}

/** Stops every process of a data directory's PostgreSQL. Returns a function that resumes them. */
export function freezePostgres({ dataDir }: Pick<DataCopy, 'dataDir'>): () => void {
  const parts = findProcesses(
    ({ program, workingDir }) => program.endsWith('/postgres') && workingDir.startsWith(dataDir),
  )
  if (parts.length === 0) throw new Error('there is no PostgreSQL to be frozen')
  for (const { pid } of parts) process.kill(pid, 'SIGSTOP')
  return () => {
    for (const { pid } of parts) process.kill(pid, 'SIGCONT')
  }
}

export function isFrozen(pid: number): boolean {
  return readStat(pid)[0] === 'T'
}

/** Returns a process's state and its parent's pid, or nothing if the process has ended. */
function readStat(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
