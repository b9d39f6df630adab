import { readFileSync } from 'node:fs'
import { findProcesses } from '../../../src/platform/process/process.ts'

/**
 * The pids of the programs of that name which were started for a folder. A child that one
 * of them has just forked is not counted: for a moment it looks like its parent.
 */
export function findPrograms(folder: string, name: 'postgres' | 'anvil' | 'initdb'): number[] {
  const pids = findProcesses(
    ({ program, args }) => program.endsWith(`/${name}`) && args.some((arg) => arg.includes(folder)),
  ).map(({ pid }) => pid)
  return pids.filter((pid) => !pids.includes(parentOf(pid)))
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}
