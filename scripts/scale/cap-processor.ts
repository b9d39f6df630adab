import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const group = '/sys/fs/cgroup/cpu'
const prefix = 'sluice-scale-'
const periodUs = 100_000

/**
 * Gives a PostgreSQL so much of one processor and no more, with what it starts from now on.
 *
 * @returns what lifts the limit; `undefined` where this machine does not let us set one (control groups, version 1).
 */
export function capProcessor(pid: number, share: number): (() => void) | undefined {
  const own = join(group, `${prefix}${pid}`)
  try {
    mkdirSync(own)
    writeFileSync(join(own, 'cpu.cfs_period_us'), String(periodUs))
    writeFileSync(join(own, 'cpu.cfs_quota_us'), String(Math.round(share * periodUs)))
    for (const each of [pid, ...childrenOf(pid)]) writeFileSync(join(own, 'cgroup.procs'), String(each))
  } catch {
    return undefined
  }
  return () => {
    for (const each of readFileSync(join(own, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)) move(each)
  }
}

/** Removes the groups of limits that were lifted, once nothing runs in them any more; those of earlier runs too. */
export function removeCaps(): void {
  const groups = existsSync(group) ? readdirSync(group).filter((name) => name.startsWith(prefix)) : []
  for (const name of groups) {
    try {
      rmdirSync(join(group, name))
    } catch {
      // Another run's, which is still under way.
    }
  }
}

/** Out of a group; a process that has ended needs none. */
function move(pid: string): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), pid)
  } catch {}
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid ? [Number(name)] : []
      } catch {
        return []
      }
    })
}
