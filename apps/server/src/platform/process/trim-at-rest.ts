import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Cancel, Clock } from '../../kernel/clock.ts'

/** How the process is doing; what a test replaces. */
export type ProcessState = {
  /** How much of the time since it was asked last the event loop was at work: 0 to 1. */
  utilization(): number
  heapBytes(): number
  /** Collects garbage and gives the pages back that are free then. It takes some 100 ms, in which nothing else runs. */
  collect(): void
  /** By how many percent old data may grow over what a collection has left of it until the next; 0: as V8 sees fit. */
  letGrow(percent: number): void
}

const everyMs = 1_000
/** Below it, nobody is likely to be waiting; above the other, much is done. */
const quietShare = 0.1
const busyShare = 0.3
/** So long quiet without a break is rest: loads come with pauses, and whoever asks next would wait for what is done at rest. */
const restMs = 30_000
/** A start, or so long a load altogether, leaves much garbage. */
const loadMs = 5_000
const leastGrowth = 8 * 2 ** 20
/** Where nothing much was done meanwhile, so long after the last time. */
const againMs = 600_000
/**
 * From the start and under load. V8 begins to collect a small heap when it has grown by a fifth or a third, several times a second
 * where much is asked, and its threads take the processors that requests wait for. At rest memory counts more.
 */
const busyGrowth = 150

/**
 * Has V8 give back, when the service comes to rest, the pages that a start or a load has left free. V8 itself keeps them:
 * it collects when it allocates, and at rest it hardly does. Until then old data is collected less often.
 */
export function trimAtRest(clock: Clock, state: ProcessState = ownState()): Cancel {
  let cancel: Cancel = () => {}
  let [after, at] = [0, 0]
  let [quietMs, busyMs] = [0, loadMs]
  let growth = 0
  const letGrow = (percent: number) => {
    if (percent !== growth) state.letGrow(percent)
    growth = percent
  }
  const look = () => {
    const utilization = state.utilization()
    quietMs = utilization < quietShare ? quietMs + everyMs : 0
    if (utilization > busyShare) {
      busyMs += everyMs
      letGrow(busyGrowth)
    }
    if (quietMs >= restMs) rest()
    cancel = clock.after(everyMs, look)
  }
  const rest = () => {
    letGrow(0)
    const isDue = busyMs >= loadMs || clock.now() - at >= againMs
    if (!isDue || state.heapBytes() < after + leastGrowth) return
    state.collect()
    after = state.heapBytes()
    at = clock.now()
    busyMs = 0
  }
  letGrow(busyGrowth)
  state.utilization()
  cancel = clock.after(everyMs, look)
  return () => cancel()
}

/** This process. */
function ownState(): ProcessState {
  let last = performance.eventLoopUtilization()
  return {
    utilization() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    heapBytes: () => getHeapStatistics().total_physical_size,
    collect() {
      setFlagsFromString('--expose-gc')
      const collect: NodeJS.GCFunction | undefined = runInNewContext('globalThis.gc')
      setFlagsFromString('--no-expose-gc')
      collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    },
    // V8 reads it at the end of each collection.
    letGrow: (percent) => setFlagsFromString(`--heap-growing-percent=${percent}`),
  }
}
