import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { text } from '../../apps/server/src/platform/database/columns.ts'
import { statement } from '../../apps/server/src/platform/database/statement.ts'
import { runGrowth } from './growth/run-growth.ts'
import { calmMs, calmRounds, type Half, halfMarkMs, isHalfReached } from './half/judge-half.ts'
import { halfWorks, measureHalf } from './half/measure-half.ts'
import { measureRest, type Rest } from './measure-rest.ts'
import { measureStart } from './measure-start.ts'
import { type Measured, measureWork, type Rounds } from './measure-work.ts'
import { middle } from './middle.ts'
import { type Bench, openBench } from './open-bench.ts'
import { runReplicas } from './replicas/run-replicas.ts'
import { runWebhooks } from './webhooks/run-webhooks.ts'
import { type WorkName, works } from './works.ts'
import { megabytes, restMarks, writeReport } from './write-report.ts'
import { isStartReached, printStart, writeStart } from './write-start.ts'

const help = `Usage: npm run bench [-- --only create|keyed|detail|list|half|rest|start|webhooks|growth] [--check] [--seconds N] [--rounds N] …

Starts a service of its own with an embedded PostgreSQL and ${(300_000).toLocaleString('en')} receipts, and measures how much of what
PostgreSQL can do is left for callers: the same statement by pgbench (by the bare driver where that is not installed) and
requests to the service, in turns, over as many connections. Keys, limits as they are by default, request log and jobs are on. Only the ratio of
the two says something about a machine that is busy with other work. Then reads at half of the rate that saturates, judged
by rounds in which a bare server that works as much was answering in time. A whole run rewrites the figures in docs/performance.md.

  --only         one work, reads at half load, what the service does at rest; or, which is written down too:
                 start      how long it takes to start
                 webhooks   their delivery beside undici alone to the same receivers, and how late they are while
                            statuses change
                 growth     all works with 10,000, 100,000 and 1,000,000 receipts and with 10,000 merchants, drawn as
                            docs/images/growth.svg (takes long, and is not a part of a whole run)
  --check        exits with code 1 where a ratio is below its mark by more than a tenth; writes nothing
  --seconds N    of each measurement, four times as long at half load (default: 5)
  --rounds N     limit and service, so many times in turns (default: 3)
  --connections  (default: 32)
  --keys N       so many keys share the connections; each sends what its limit lets it send at once, and then not for a minute
                 (default: 6400, enough for 10,000 creations a second; growth and replicas have 8 and limits that are never met)
  --receipts N   (default: 300000)
  --receivers N  of webhooks (default: 10000)
  --sizes N,N    receipts of growth, from the fewest (default: 10000,100000,1000000)
  --merchants N  of growth; 0 for none (default: 10000)
  --replicas N   so many services on one PostgreSQL beside one, and what it costs that one dies; nothing else
`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    check: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    keys: { type: 'string', default: '6400' },
    receipts: { type: 'string', default: '300000' },
    receivers: { type: 'string', default: '10000' },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    merchants: { type: 'string', default: '10000' },
    replicas: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
/** Of what is measured with limits that are never met. */
const unlimitedKeys = 8
/** What befalls a run by chance. */
const noise = 0.1

if (values.help) console.log(help)
else process.exitCode = await run()

async function run(): Promise<number> {
  const names = [
    ...(Object.keys(works) as WorkName[]),
    'half',
    'rest',
    'start',
    'webhooks',
    'growth',
  ] as const
  if (values.only !== undefined && !(names as readonly string[]).includes(values.only)) {
    console.error(`--only takes ${names.join(', ')}`)
    return 2
  }
  const number = (name: 'seconds' | 'rounds' | 'connections' | 'keys' | 'receipts' | 'receivers') =>
    Number(values[name])
  const how = { rounds: number('rounds'), seconds: number('seconds'), connections: number('connections') }
  const alone = await runAlone({ ...how, receipts: number('receipts'), keys: unlimitedKeys })
  if (alone !== undefined) return alone
  const before = loadavg()[0] ?? 0
  const hasStarted = await runStarts(before)
  if (values.only === 'start') return hasStarted ? 0 : 1
  const areDelivered = await runDeliveries({ receivers: number('receivers'), rounds: how.rounds })
  if (values.only === 'webhooks') return areDelivered ? 0 : 1
  const bench = await openBench({ count: number('receipts'), keyCount: number('keys'), isLimited: true })
  try {
    const isWanted = (name: string) => values.only === undefined || values.only === name
    const rest = isWanted('rest') ? await measureRest(bench, 60) : undefined
    if (rest) printRest(rest)
    const measured: Measured[] = []
    for (const name of Object.keys(works) as WorkName[]) {
      if (!isWanted(name)) continue
      const each = await measureWork(bench, name, how)
      measured.push(each)
      printWork(each)
    }
    const halves: Half[] = []
    for (const name of isWanted('half') ? halfWorks : []) {
      const each = await measureHalf(bench, name, how)
      halves.push(each)
      printHalf(each)
    }
    const load = [before, loadavg()[0] ?? 0] as const
    if (values.only === undefined && !values.check) {
      const postgres = await versionOf(bench)
      writeReport({
        how: { ...how, count: bench.count, keyCount: bench.keys.length, postgres },
        load,
        works: measured,
        halves,
        rest,
      })
    }
    const isReached = measured.every(({ work, ratioMedian }) => ratioMedian >= works[work].mark * (1 - noise))
    const isQuick = halves.every((each) => isHalfReached(each, how.rounds, noise))
    return values.check && !(isReached && isQuick && isAtRest(rest) && hasStarted && areDelivered) ? 1 : 0
  } finally {
    await bench.stop()
  }
}

/** What is no part of a whole run, where it is asked for: its exit code. */
async function runAlone(how: Rounds & { receipts: number; keys: number }): Promise<number | undefined> {
  const count = Number(values.replicas ?? Number.NaN)
  if (values.replicas !== undefined && !(count >= 2)) {
    console.error('--replicas takes a number from 2 on')
    return 2
  }
  const sizes = values.sizes.split(',').map(Number)
  if (count >= 2) await runReplicas({ ...how, count })
  else if (values.only === 'growth') await runGrowth({ ...how, sizes, merchants: Number(values.merchants) })
  else return undefined
  return 0
}

/** Measures starts where that is asked for: whether they are within their marks, which only `--check` judges. */
async function runStarts(loadBefore: number): Promise<boolean> {
  if (values.only !== undefined && values.only !== 'start') return true
  const starts = await measureStart()
  printStart(starts)
  if (values.check) return isStartReached(starts, noise)
  writeStart(starts, [loadBefore, loadavg()[0] ?? 0])
  return true
}

/** Measures webhooks where that is asked for, at the rate that is promised for six times as long as a measurement; as {@link runStarts}. */
async function runDeliveries(asked: { receivers: number; rounds: number }): Promise<boolean> {
  if (values.only !== undefined && values.only !== 'webhooks') return true
  const how = { ...asked, burst: 2 * asked.receivers, seconds: 6 * Number(values.seconds), rate: 200 }
  const isReached = await runWebhooks(how, { isWritten: !values.check, noise })
  return isReached || !values.check
}

function isAtRest(rest: Rest | undefined): boolean {
  if (!rest) return true
  const { statementsPerSecond, rssBytes } = rest
  const most = 1 + noise
  return (
    statementsPerSecond <= restMarks.statementsPerSecond * most &&
    megabytes(rssBytes) <= restMarks.rssMegabytes * most
  )
}

function printWork({ work, program, rounds, ...figures }: Measured): void {
  console.log(`\n${works[work].what}; load of the machine ${loadavg()[0]?.toFixed(1)}`)
  for (const { limit, service, after } of rounds) {
    const times = `p50 ${service.p50.toFixed(1)} ms  p99 ${service.p99.toFixed(1)} ms`
    const inside = `event loop late p99 ${after.delayMs.p99.toFixed(1)} ms  ${megabytes(after.rssBytes)} MB`
    const rates = `${program} ${limit.toFixed(0).padStart(6)}/s  sluice ${service.perSecond.toFixed(0).padStart(6)}/s`
    console.log(`  ${rates}  ratio ${(service.perSecond / limit).toFixed(2)}  ${times}  ${inside}`)
  }
  const { ratioMedian, ratioMin, statementsPerRequest, cpuUsPerRequest, statements } = figures
  console.log(
    `  ratio median ${ratioMedian.toFixed(2)}, least ${ratioMin.toFixed(2)} (mark ${works[work].mark}); ` +
      `${statementsPerRequest.toFixed(2)} statements and ${cpuUsPerRequest.toFixed(0)} µs of a core per request; p99 ${middle(rounds.map(({ service }) => service.p99)).toFixed(1)} ms`,
  )
  for (const [name, each] of statements)
    if (each >= 0.005) console.log(`    ${each.toFixed(2).padStart(6)}  ${name}`)
}

function printHalf(half: Half): void {
  const { work, program, rounds } = half
  console.log(`\n${works[work].what}, at half of the rate that saturates; mark p99 ${halfMarkMs} ms`)
  for (const { limit, bareP99, perSecond, p50, p99, p99s, delayP99Ms, collections } of rounds)
    console.log(
      `  ${program} at ${limit.perSecond.toFixed(0).padStart(5)}/s p99 ${limit.p99.toFixed(1).padStart(5)} ms  ` +
        `bare server p99 ${bareP99.toFixed(1).padStart(5)} ms  ` +
        `sluice at${perSecond.toFixed(0).padStart(6)}/s  p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms ` +
        `(of five seconds each ${p99s.map((ms) => ms.toFixed(0)).join(', ')})  ` +
        `event loop late p99 ${delayP99Ms.toFixed(1)} ms  old data collected ${collections} ×`,
    )
  const calm = calmRounds(half)
  const [most, calmest] = [rounds, calm].map((each) => middle(each.map(({ p99 }) => p99)).toFixed(1))
  console.log(
    calm.length === 0
      ? `  p99 median ${most} ms; the machine was late in all ${rounds.length} rounds (a bare server's p99 above ${calmMs} ms), and nothing is said of the service`
      : `  p99 median ${calmest} ms of the ${calm.length} rounds in which a bare server's was ${calmMs} ms at most, ${most} ms of all ${rounds.length}`,
  )
}

function printRest({ statementsPerSecond, statements, rssBytes, cpuMs, delayP99Ms }: Rest): void {
  console.log(
    `\nat rest: ${statementsPerSecond.toFixed(1)} statements/s (mark ${restMarks.statementsPerSecond}), ` +
      `${megabytes(rssBytes)} MB (mark ${restMarks.rssMegabytes}), ${(cpuMs / 10).toFixed(1)} % of a core, ` +
      `event loop late p99 ${delayP99Ms.toFixed(1)} ms`,
  )
  for (const [name, each] of statements) console.log(`    ${each.toFixed(2).padStart(6)}  ${name}`)
}

async function versionOf({ db }: Bench): Promise<string> {
  const ask = statement({
    name: 'bench-version',
    text: `SELECT current_setting('server_version') AS version`,
    reads: { version: text() },
  })
  return (await db.row(ask()))?.version ?? ''
}
