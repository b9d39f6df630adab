import { loadavg } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, test } from 'vitest'
import { jobNames } from '../../src/platform/jobs/names.ts'
import { farAwayMs } from '../support/chain/endpoints.ts'
import { countStatements } from '../support/database/count-statements.ts'
import { runBareLoop } from './long-chain/bare-loop.ts'
import { type LongChainContext, startLongChain, type WayAhead } from './long-chain/long-chain-context.ts'

const blockCount = Number(process.env.BENCH_BLOCKS ?? 100_000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 2)
/** The average of a Base block. */
const transactionsPerBlock = 100
const limits = { logRange: 10_000, logCount: 10_000 }
const crowd = 3_000

let context: LongChainContext | undefined
afterEach(async () => {
  await context?.stop()
  context = undefined
})

/** The watcher's backlogs. The second and the third are so dense that a tenth of the blocks is enough. */
const ways: readonly { name: string; ahead: WayAhead }[] = [
  {
    name: `transfers between strangers, ${crowd} in each of 100 blocks; attempts in a token open`,
    ahead: {
      blockCount,
      payments: 200,
      token: 'USDC',
      crowds: { every: Math.ceil(blockCount / 100), count: crowd },
    },
  },
  {
    name: `every 500th with ${crowd} transfers to an open attempt`,
    ahead: {
      blockCount: Math.ceil(blockCount / 10),
      payments: 50,
      token: 'USDC',
      crowds: { every: 500, count: crowd, areOurs: true },
    },
  },
  {
    name: 'read with their transactions, attempts in the native token open',
    ahead: { blockCount: Math.ceil(blockCount / 10), payments: 15, token: 'ETH' },
  },
]

/** Benchmark that `npm run bench:watcher` runs. Fails only if a receipt was not paid exactly once. */
test.each(ways)('catching up blocks, $name, is measured', { timeout: 3_600_000 }, async ({ name, ahead }) => {
  context = await startLongChain(limits, transactionsPerBlock)
  print(
    `${ahead.blockCount} blocks of ${transactionsPerBlock} transactions, ${ahead.payments} with a payment; ${name}`,
  )
  for (let round = 0; round < rounds; round++)
    for (const awayMs of [0, farAwayMs]) {
      const ids = await context.lengthen(ahead)
      const caught = await catchUp(context, awayMs)
      const wrong = await context.findWrong(ids)
      if (wrong.length > 0) throw new Error(`not paid exactly once: ${wrong.join('; ')}`)
      const { bodies, requestCount, responseBytes } = await context.asked()
      const { url } = context
      const bare = await measure(() => runBareLoop(url, bodies))
      report(ahead, awayMs, { caught, bare, requestCount, responseBytes })
    }
})

/** Duration of the measured work, and its CPU time in this process. */
type Measured = { readonly seconds: number; readonly cpuMicros: number }

type CaughtUp = Measured & {
  readonly steps: number
  readonly statements: number
  /** Heap size before and after, and its maximum at the end of a step, including garbage. */
  readonly megabytes: { readonly before: number; readonly most: number; readonly after: number }
}

async function catchUp(behind: LongChainContext, awayMs: number): Promise<CaughtUp> {
  const { clock } = behind.api
  const { db, total } = countStatements(behind.needs.db)
  const job = behind.job(jobNames.scanTransfers, { db })
  await behind.reset(awayMs)
  const before = liveMegabytes()
  let [steps, most] = [1, 0]
  const [began, startedAt] = [performance.now(), clock.now()]
  const measured = await measure(async () => {
    while ((await job.run(new AbortController().signal)) === 'again') {
      clock.jumpTo(startedAt + Math.trunc(performance.now() - began))
      most = Math.max(most, usedMegabytes())
      steps += 1
    }
  })
  return { ...measured, steps, statements: total(), megabytes: { before, most, after: liveMegabytes() } }
}

async function measure(work: () => Promise<void>): Promise<Measured> {
  const [began, used] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(used)
  return { seconds: (performance.now() - began) / 1_000, cpuMicros: user + system }
}

type Compared = {
  readonly caught: CaughtUp
  readonly bare: Measured
  readonly requestCount: number
  readonly responseBytes: number
}

function report(
  ahead: WayAhead,
  awayMs: number,
  { caught, bare, requestCount, responseBytes }: Compared,
): void {
  const { blockCount: count, payments, crowds } = ahead
  const logs = payments + (crowds?.areOurs ? Math.floor(count / crowds.every) * crowds.count : 0)
  const rate = ({ seconds }: Measured) => `${(count / seconds).toFixed(0)} blocks/s`
  const each = ({ cpuMicros }: Measured) => `${(cpuMicros / count).toFixed(0)} µs`
  const per = (total: number) => ((total * 1_000) / count).toFixed(1)
  const { before, most, after } = caught.megabytes
  print(
    `${String(awayMs).padStart(5)} ms away: ${rate(caught)} in ${caught.seconds.toFixed(1)} s, ${(logs / caught.seconds).toFixed(0)} logs/s; ` +
      `bare loop ${rate(bare)}; ratio ${(bare.seconds / caught.seconds).toFixed(2)}; ` +
      `of a core ${each(caught)} a block, bare ${each(bare)}\n` +
      `      per 1,000 blocks ${per(requestCount)} requests, ${(responseBytes / count / 1_000).toFixed(1)} MB, ${per(caught.steps)} steps, ` +
      `${per(caught.statements)} statements; heap ${before.toFixed(0)} MB before, ${most.toFixed(0)} at most, ` +
      `${after.toFixed(0)} after; load ${loadavg()[0]?.toFixed(1)}`,
  )
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function usedMegabytes(): number {
  return getHeapStatistics().used_heap_size / 2 ** 20
}

/** Returns the heap size in megabytes after garbage collection. */
function liveMegabytes(): number {
  collect()
  return usedMegabytes()
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
