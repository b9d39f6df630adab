import { readFileSync } from 'node:fs'
import { findProcesses } from '../../../src/platform/process/process.ts'
import type { DataCopy } from '../kill/data.ts'

/** Stops every process of a data directory's PostgreSQL where it stands, and gives what lets them go on. */
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

/** Whether a process stands still by a signal. */
export function isFrozen(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
}
