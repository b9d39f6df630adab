import { readFileSync } from 'node:fs'

/** Returns the milliseconds that a process waited for a CPU; 0 if the system does not report them. */
export function waitedForProcessorMs(pid: number | 'self' = 'self'): number {
  try {
    const [, waitedNs = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
    return Number(waitedNs) / 1e6
  } catch {
    return 0
  }
}

/**
 * Starts a stopwatch. The returned function returns the elapsed milliseconds, minus the longest CPU wait
 * among the processes. Call it repeatedly: for an ended process, the last measured wait counts.
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
