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

/** Begins a measurement; what it gives back is the time since, less what was spent in line for a processor. */
export function measureOwnMs(pids: readonly (number | 'self')[] = ['self']): () => number {
  const waited = () => pids.reduce<number>((sum, pid) => sum + waitedForProcessorMs(pid), 0)
  const startedAt = performance.now()
  const waitedBefore = waited()
  let last = waitedBefore
  return () => {
    // A process that has ended says no more: what it said last counts.
    last = Math.max(last, waited())
    return performance.now() - startedAt - (last - waitedBefore)
  }
}
