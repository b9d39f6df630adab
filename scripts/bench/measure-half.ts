import { load, type Rounds, warmUpSeconds } from './measure-work.ts'
import type { Bench } from './open-bench.ts'
import { readProbe } from './read-probe.ts'
import type { WorkName } from './works.ts'

/** How long requests take while the service has half as many as it can answer. */
export type Half = {
  readonly work: WorkName
  readonly rounds: readonly {
    readonly perSecond: number
    readonly p50: number
    readonly p99: number
    readonly delayP99Ms: number
  }[]
}

/** The works that only read: a buyer or a till waits for them. */
export const halfWorks = ['detail', 'list'] as const satisfies readonly WorkName[]

/** The most milliseconds that one of a hundred may take. */
export const halfMarkMs = 20

/**
 * Each round finds how many requests a second are answered at most, and sends half as many: each at its own time, so
 * that one that is slow makes none of those after it come later.
 */
export async function measureHalf(bench: Bench, work: WorkName, how: Rounds): Promise<Half> {
  await load(bench, work, { ...how, seconds: warmUpSeconds })
  const rounds: Half['rounds'][number][] = []
  for (let i = 0; i < how.rounds; i++) {
    const most = await load(bench, work, how)
    const rate = most.perSecond / 2
    await readProbe(bench.probePath)
    const { perSecond, p50, p99 } = await load(bench, work, { ...how, rate })
    const after = await readProbe(bench.probePath)
    rounds.push({ perSecond, p50, p99, delayP99Ms: after.delayMs.p99 })
  }
  return { work, rounds }
}
