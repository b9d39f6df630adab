import { measureLimit } from '../measure-limit.ts'
import { load, type Rounds, warmUpSeconds } from '../measure-work.ts'
import { type Bench, openBench } from '../open-bench.ts'
import { type WorkName, works } from '../works.ts'
import { fillMerchants } from './fill-merchants.ts'

/** How a work goes with so many receipts, or merchants, in each round. */
export type GrowthPoint = {
  readonly work: WorkName
  /** What there is, such as `100,000` or `10,000 merchants`. */
  readonly name: string
  readonly rounds: readonly { readonly limit: number; readonly service: number; readonly p99: number }[]
}

/** What is measured: receipts of one merchant, from the fewest on, and then as many merchants. */
export type GrowthHow = Rounds & {
  readonly sizes: readonly number[]
  readonly merchants: number
  readonly keys: number
}

/** Not those of creations with an Idempotency-Key: what grows is the same as without. */
const grownWorks = ['create', 'detail', 'list'] as const satisfies readonly WorkName[]

type Place = { readonly name: string; readonly bench: Bench }

/**
 * Starts a service of its own for each size and measures all of them in turns, each work of the service and its statement by
 * PostgreSQL alone: what else the machine does befalls every size.
 */
export async function measureGrowth({ sizes, merchants, keys, ...how }: GrowthHow): Promise<GrowthPoint[]> {
  const places: Place[] = []
  try {
    for (const count of sizes) {
      console.log(`filling ${count.toLocaleString('en')} receipts`)
      places.push({ name: count.toLocaleString('en'), bench: await openBench({ count, keyCount: keys }) })
    }
    if (merchants > 0) {
      console.log(`filling ${merchants.toLocaleString('en')} merchants`)
      const opened = await openBench({ count: 1_000, keyCount: 1 })
      const name = `${merchants.toLocaleString('en')} merchants`
      places.push({ name, bench: opened })
      places.splice(-1, 1, { name, bench: await fillMerchants(opened, merchants) })
    }
    const points: GrowthPoint[] = []
    for (const work of grownWorks) points.push(...(await measureOne(places, work, how)))
    return points
  } finally {
    for (const { bench } of places) await bench.stop()
  }
}

async function measureOne(places: readonly Place[], work: WorkName, how: Rounds): Promise<GrowthPoint[]> {
  const rounds = new Map(places.map(({ name }) => [name, [] as GrowthPoint['rounds'][number][]]))
  for (const { bench } of places) await load(bench, work, { ...how, seconds: warmUpSeconds })
  for (let i = 0; i < how.rounds; i++) {
    for (const { name, bench } of places) {
      const limit = await measureLimit(bench.databaseUrl, await works[work].limit(bench.db, bench), how)
      const { perSecond, p99 } = await load(bench, work, how)
      rounds.get(name)?.push({ limit: limit.perSecond, service: perSecond, p99 })
    }
  }
  return places.map(({ name }) => ({ work, name, rounds: rounds.get(name) ?? [] }))
}
