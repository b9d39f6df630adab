import { capProcessor } from './cap-processor.ts'
import { makePlainDatabase, makeSpreadDatabase } from './make-database.ts'
import { openRates, type RateName, rateNames } from './measure-rates.ts'
import type { OpenCluster } from './open-cluster.ts'

const shards = 32
/** Before any limit is set: the connections of a service are open, and their plans made. */
const warmSeconds = 4

/**
 * Measures one PostgreSQL and the cluster with one worker and with two, each work in turns, and prints what came of it.
 */
export async function compareRates(
  { urls, own }: OpenCluster,
  how: { readonly seconds: number; readonly rounds: number; readonly processor: number },
): Promise<void> {
  if (!own) {
    console.log('rates: not measured on a cluster that is not ours')
    return
  }
  const { coordinator, workers } = urls
  const places = [
    ['one PostgreSQL', await makePlainDatabase(own.plain.url, 'sluice_scale')],
    [
      '1 worker',
      await makeSpreadDatabase({ coordinator, workers: workers.slice(0, 1) }, 'sluice_scale_1', shards),
    ],
    [
      '2 workers',
      await makeSpreadDatabase({ coordinator, workers: workers.slice(0, 2) }, 'sluice_scale_2', shards),
    ],
  ] as const
  const meters = await Promise.all(places.map(([, url]) => openRates(url)))
  const rates = new Map<RateName, number[][]>(rateNames.map((name) => [name, places.map(() => [])]))
  let isCapped = false
  const lifts: (() => void)[] = []
  try {
    for (const name of rateNames) for (const meter of meters) await meter.measure(name, warmSeconds)
    for (const { pid } of [...own.workers, own.plain]) {
      const lift = capProcessor(pid, how.processor)
      if (lift) lifts.push(lift)
    }
    isCapped = lifts.length === own.workers.length + 1
    for (const name of rateNames)
      for (let round = 0; round < how.rounds; round++)
        for (const [i, meter] of meters.entries())
          rates.get(name)?.[i]?.push(await meter.measure(name, how.seconds))
  } finally {
    for (const lift of lifts) lift()
    await Promise.all(meters.map((meter) => meter.close()))
  }
  console.log(
    `rates a second, medians of ${how.rounds} (least–most), ${isCapped ? `${how.processor} of a processor for each worker and for the one PostgreSQL; the coordinator has what it wants` : 'processors not capped'}`,
  )
  for (const name of rateNames) {
    const medians = (rates.get(name) ?? []).map(summarize)
    const cells = medians.map(({ text }, i) => `${places[i]?.[0]} ${text}`)
    const [plain, one, two] = medians.map(({ median }) => median) as [number, number, number]
    console.log(
      `${name.padEnd(8)} ${cells.join('   ')}   1 → 2 ×${(two / one).toFixed(2)}, 2 to one PostgreSQL ×${(two / plain).toFixed(2)}`,
    )
  }
}

function summarize(values: readonly number[]): { median: number; text: string } {
  const sorted = values.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const [least, most] = [sorted[0] ?? 0, sorted.at(-1) ?? 0]
  return { median, text: `${median.toFixed(0)} (${least.toFixed(0)}–${most.toFixed(0)})` }
}
