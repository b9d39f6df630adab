import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rounds } from '../measure-work.ts'
import type { Bench } from '../open-bench.ts'
import { runChild } from '../run-child.ts'
import type { WorkName } from '../works.ts'
import { type Death, judgeDeath } from './judge-death.ts'
import type { SpreadInput, SpreadResult } from './spread-load.ts'
import { type Replica, startReplica } from './start-replica.ts'

/** What several replicas come to beside one of them. */
export type Replicas = {
  readonly count: number
  readonly works: readonly {
    readonly work: WorkName
    readonly rounds: readonly { readonly one: number; readonly all: number }[]
  }[]
  readonly deaths: readonly { readonly work: WorkName; readonly death: Death }[]
}

const spreadWorks = ['create', 'detail', 'list'] as const satisfies readonly WorkName[]
const dyingWorks = ['create', 'detail'] as const satisfies readonly WorkName[]
const warmUpSeconds = 4
/** Of a load in which one dies: before it, and in all. */
const deathSeconds = { before: 5, all: 15 }

/**
 * Measures one replica and all of them in turns, with as many connections, and then has the last one die by kill -9 under
 * load.
 *
 * @param settings - Those of the service that is there, which is the first replica and has the database.
 */
export async function measureReplicas(
  bench: Bench,
  settings: Readonly<Record<string, string>>,
  { count, ...how }: Rounds & { readonly count: number },
): Promise<Replicas> {
  const others: Replica[] = []
  try {
    for (let i = 1; i < count; i++) others.push(await startReplica(settings))
    const urls = () => [bench.url, ...others.map(({ url }) => url)]
    const measured: Replicas['works'][number][] = []
    for (const work of spreadWorks) {
      await load(bench, { ...how, work, urls: urls(), seconds: warmUpSeconds })
      const rounds: { one: number; all: number }[] = []
      for (let i = 0; i < how.rounds; i++) {
        const one = rateOf(await load(bench, { ...how, work, urls: [bench.url] }))
        rounds.push({ one, all: rateOf(await load(bench, { ...how, work, urls: urls() })) })
      }
      measured.push({ work, rounds })
    }
    const deaths: Replicas['deaths'][number][] = []
    for (const work of dyingWorks) {
      const dying = others.at(-1)
      if (!dying) break
      await load(bench, { ...how, work, urls: urls(), seconds: warmUpSeconds })
      deaths.push({ work, death: await letDie(bench, dying, { ...how, work, urls: urls() }) })
      others.splice(-1, 1, await startReplica(settings))
    }
    return { count, works: measured, deaths }
  } finally {
    for (const each of others) await each.stop()
  }
}

type Load = { work: WorkName; urls: readonly string[]; connections: number; seconds: number }

async function letDie(bench: Bench, dying: Replica, what: Omit<Load, 'seconds'>): Promise<Death> {
  const loading = load(bench, { ...what, seconds: deathSeconds.all })
  const killing = sleep((deathSeconds.before + 1) * 1_000).then(async () => {
    const at = Date.now()
    await dying.kill()
    return at
  })
  const [{ asked, startedAt, endedAt }, killedAt] = await Promise.all([loading, killing])
  return judgeDeath(asked, {
    from: startedAt,
    killedAt,
    to: Math.min(endedAt, startedAt + deathSeconds.all * 1_000),
  })
}

/** Every answer must be a good one; that there is none is told. */
async function load(bench: Bench, { work, urls, connections, seconds }: Load): Promise<SpreadResult> {
  const { keys, count } = bench
  const run = `spread-${randomBytes(6).toString('hex')}`
  const input: SpreadInput = { urls, keys, work, run, count, connections, seconds }
  const result = await runChild<SpreadResult>('./replicas/spread-load.ts', input)
  if (result.failures[0]) throw new Error(`${work}: answered ${result.failures[0]}`)
  return result
}

function rateOf({ asked, startedAt, endedAt }: SpreadResult): number {
  return (asked.length * 1_000) / (endedAt - startedAt)
}
