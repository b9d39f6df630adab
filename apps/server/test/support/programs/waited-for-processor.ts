import { readFileSync } from 'node:fs'

/**
 * How long a process has so far stood in line for a processor, in milliseconds; 0 where the system does not say. What
 * a test measures on a busy machine is the program's own time plus this.
 */
export function waitedForProcessorMs(pid: number | 'self' = 'self'): number {
  try {
    const [, waitedNs = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
    return Number(waitedNs) / 1e6
  } catch {
    return 0
  }
}

/**
 * Begins a measurement; what it gives back is the time since, less what was spent in line for a processor: by the one
 * of the processes that stood longest, since two may stand there together. Ask now and then: one that has ended
 * says no more, and what it said last counts.
 */
export function measureOwnMs(pids: readonly (number | 'self')[] = ['self']): () => number {
  const startedAt = performance.now()
  const before = pids.map(waitedForProcessorMs)
  const longest = pids.map(() => 0)
  return () => {
    for (const [i, pid] of pids.entries())
      longest[i] = Math.max(longest[i] ?? 0, waitedForProcessorMs(pid) - (before[i] ?? 0))
    return performance.now() - startedAt - Math.max(...longest)
  }
}
