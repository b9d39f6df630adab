import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './open-bench.ts'
import { readProbe, statementsBetween } from './read-probe.ts'

/** What a service does and holds while nobody asks anything of it. */
export type Rest = {
  readonly statementsPerSecond: number
  /** The most frequent, by name, for each second. */
  readonly statements: readonly (readonly [name: string, perSecond: number])[]
  readonly rssBytes: number
  /** Processor time for each second, in milliseconds. */
  readonly cpuMs: number
  readonly delayP99Ms: number
}

const settleMs = 45_000

/** Lets the service come to rest and watches it. */
export async function measureRest(bench: Bench, seconds: number): Promise<Rest> {
  await sleep(settleMs)
  const before = await readProbe(bench.probePath)
  await sleep(seconds * 1_000)
  const after = await readProbe(bench.probePath)
  const sent = statementsBetween(before, after)
  return {
    statementsPerSecond: sent.reduce((sum, [, count]) => sum + count, 0) / seconds,
    statements: sent.map(([name, count]) => [name, count / seconds] as const).slice(0, 24),
    rssBytes: after.rssBytes,
    cpuMs: (after.cpuMs - before.cpuMs) / seconds,
    delayP99Ms: after.delayMs.p99,
  }
}
