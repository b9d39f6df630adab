import { type Limit, measureLimit } from './measure-limit.ts'
import { load, type Rounds, warmUpSeconds } from './measure-work.ts'
import type { Bench } from './open-bench.ts'
import { readProbe } from './read-probe.ts'
import { type WorkName, works } from './works.ts'

/** How long requests take while the service has half as many as it can answer. */
export type Half = {
  readonly work: WorkName
  readonly program: Limit['program']
  readonly rounds: readonly {
    /** PostgreSQL alone, at half of what it does alone. */
    readonly limit: Limit
    readonly perSecond: number
    readonly p50: number
    readonly p99: number
    readonly delayP99Ms: number
    /** How often V8 collected old data meanwhile. */
    readonly collections: number
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
  const statement = await works[work].limit(bench.db, bench)
  await load(bench, work, { ...how, seconds: warmUpSeconds })
  let program: Limit['program'] = 'pg'
  const rounds: Half['rounds'][number][] = []
  for (let i = 0; i < how.rounds; i++) {
    const alone = await measureLimit(bench.databaseUrl, statement, how)
    const limit = await measureLimit(bench.databaseUrl, statement, { ...how, rate: alone.perSecond / 2 })
    program = limit.program
    const most = await load(bench, work, how)
    const rate = most.perSecond / 2
    const before = await readProbe(bench.probePath)
    const { perSecond, p50, p99 } = await load(bench, work, { ...how, rate })
    const after = await readProbe(bench.probePath)
    const collections = after.collections - before.collections
    rounds.push({ limit, perSecond, p50, p99, delayP99Ms: after.delayMs.p99, collections })
  }
  return { work, program, rounds }
}
