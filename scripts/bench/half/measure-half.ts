import { type Limit, measureLimit } from '../measure-limit.ts'
import { load, type Rounds, warmUpSeconds } from '../measure-work.ts'
import type { Bench } from '../open-bench.ts'
import { readProbe } from '../read-probe.ts'
import { type WorkName, works } from '../works.ts'
import { calmRounds, type Half, type HalfRound } from './judge-half.ts'
import { type BareServer, startBareServer } from './start-bare-server.ts'

/** The works that only read: a buyer or a till waits for them. */
export const halfWorks = ['detail', 'list'] as const satisfies readonly WorkName[]

/** So many times as many rounds as are asked for, where the machine was late in some. */
const mostTries = 3
const bareSeconds = 3
/**
 * So many times as long as other measurements: a single pause decides what one request in a hundred took in five
 * seconds, and seldom in twenty.
 */
const longer = 4

/**
 * Each round finds how many requests a second are answered at most, and sends half as many: each at its own time, so
 * that one that is slow makes none of those after it come later. There are more rounds than asked for where the machine was late.
 */
export async function measureHalf(bench: Bench, work: WorkName, how: Rounds): Promise<Half> {
  const statement = await works[work].limit(bench.db, bench)
  await load(bench, work, { ...how, seconds: warmUpSeconds })
  const half = { work, program: 'pg' as Limit['program'], rounds: [] as HalfRound[] }
  const bare = await startBareServer()
  try {
    const bytes = await answerBytes(bench, work)
    for (let i = 0; i < mostTries * how.rounds && calmRounds(half).length < how.rounds; i++) {
      const alone = await measureLimit(bench.databaseUrl, statement, how)
      const limit = await measureLimit(bench.databaseUrl, statement, { ...how, rate: alone.perSecond / 2 })
      half.program = limit.program
      const begin = await readProbe(bench.probePath)
      const most = await load(bench, work, how)
      const rate = most.perSecond / 2
      const before = await readProbe(bench.probePath)
      await bare.answerWith({ bytes, workUs: ((before.cpuMs - begin.cpuMs) * 1_000) / most.requests })
      const bareBefore = await loadBare(bare, bench, work, { ...how, rate })
      await readProbe(bench.probePath)
      const { perSecond, p50, p99, p99s } = await load(bench, work, {
        ...how,
        rate,
        seconds: longer * how.seconds,
      })
      const after = await readProbe(bench.probePath)
      const bareAfter = await loadBare(bare, bench, work, { ...how, rate })
      half.rounds.push({
        limit,
        bareP99: Math.max(bareBefore, bareAfter),
        perSecond,
        p50,
        p99,
        p99s,
        delayP99Ms: after.delayMs.p99,
        collections: after.collections - before.collections,
      })
    }
    return half
  } finally {
    await bare.stop()
  }
}

async function loadBare(
  { url }: BareServer,
  bench: Bench,
  work: WorkName,
  how: Rounds & { readonly rate: number },
): Promise<number> {
  return (await load({ ...bench, url }, work, { ...how, seconds: bareSeconds })).p99
}

async function answerBytes({ url, keys: [key = ''], count }: Bench, work: WorkName): Promise<number> {
  const { path } = works[work].request('bytes', 0, count)
  const answer = await fetch(`${url}${path}`, { headers: { 'ocp-apim-subscription-key': key } })
  if (!answer.ok) throw new Error(`${work}: ${answer.status} ${await answer.text()}`)
  return (await answer.arrayBuffer()).byteLength
}
