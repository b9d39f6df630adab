import { fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { anvilClient, launchAnvil, rpcUrlOf } from '../../src/local/anvil.ts'
import { deployContracts } from '../../src/local/deploy-contracts.ts'
import { withFreePort } from '../../src/platform/process/free-port.ts'
import { stopProcess } from '../../src/platform/process/process.ts'
import { replaceDatabaseTime } from '../support/database/database-time.ts'
import {
  inDatabase,
  startSharedPostgres,
  templateName,
  withDatabase,
} from '../support/database/shared-postgres.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { regressions } from './regressions.ts'
import type { SeedReport, WorkPlace } from './worker.ts'
import { startsAt } from './world.ts'

const help = `Usage: npm run simulate [-- --seeds N] [-- --minutes N] [-- --from SEED] [-- --seed SEED] [-- --regressions]

Runs sales on two replicas of the service, with a real PostgreSQL, a modeled chain and a virtual clock. The seed
decides what people do, what fails, and in which order everything continues. Checks every promise about money after
each commit. For a seed that breaks one, prints the shortest timeline that it found, and exits with code 1.

  --seeds N     number of seeds (default: 1000)
  --minutes N   run for this long instead
  --from SEED   the first seed (default: at random)
  --seed SEED   run only this seed, and print its timeline and the hash of its trace
  --regressions run the seeds that once broke a promise
  --trace FILE  with --seed: write every statement and request to a file
  --workers N   processes at the same time (default: one per processor)
`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    minutes: { type: 'string' },
    from: { type: 'string' },
    seed: { type: 'string' },
    regressions: { type: 'boolean', default: false },
    workers: { type: 'string' },
    trace: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(help)
else process.exitCode = (await run()) ? 0 : 1

async function run(): Promise<boolean> {
  const only = values.seed === undefined ? undefined : readNumber('seed', values.seed)
  const from = only ?? (values.from === undefined ? randomInt(1, 2 ** 40) : readNumber('from', values.from))
  const minutes = values.minutes === undefined ? undefined : readNumber('minutes', values.minutes)
  const named = values.regressions ? regressions.map(({ seed }) => seed) : undefined
  const most = named
    ? named.length
    : only !== undefined
      ? 1
      : values.seeds !== undefined
        ? readNumber('seeds', values.seeds)
        : 1_000
  const endsAt = minutes === undefined ? undefined : Date.now() + minutes * 60_000
  const count = endsAt === undefined ? most : Number.POSITIVE_INFINITY
  const workerCount = Math.min(
    count,
    values.workers ? readNumber('workers', values.workers) : availableParallelism(),
  )
  const [postgres, codes] = await Promise.all([startSharedPostgres(), readCodes()])
  const folder = await makeTemporaryFolder('simulate', { isSearched: false })
  const startedAt = Date.now()
  let [taken, done, failed] = [0, 0, 0]
  const seedAt = (i: number) => (named ? (named[i] as number) : from + i)
  const take = () =>
    taken < count && failed < 5 && (endsAt === undefined || Date.now() < endsAt) ? seedAt(taken++) : null
  const report = (each: SeedReport) => {
    done++
    if (each.broken !== undefined) failed++
    if (each.broken !== undefined || only !== undefined) print(each)
    else if (done % 100 === 0)
      console.log(`${done} seeds, the last ${each.seed}, in ${secondsSince(startedAt)} s`)
  }
  try {
    await Promise.all(
      Array.from({ length: workerCount }, async (_, i) => {
        const databaseUrl = withDatabase(postgres.url, `worker_${i}`)
        await inDatabase(postgres.url, `CREATE DATABASE worker_${i} TEMPLATE ${templateName}`)
        await replaceDatabaseTime(databaseUrl, startsAt)
        await runWorker(
          { databaseUrl, dataDir: join(folder.path, String(i)), ...codes, tracePath: values.trace },
          take,
          report,
        )
      }),
    )
  } finally {
    await postgres.stop()
    await folder.remove()
  }
  console.log(
    `seeds ${named ? named.join(', ') : `${from} to ${from + taken - 1}`}: ${done} run in ${secondsSince(startedAt)} s, ${failed} broke a promise`,
  )
  return failed === 0
}

function runWorker(
  place: WorkPlace,
  take: () => number | null,
  report: (each: SeedReport) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = fork(join(import.meta.dirname, 'worker.ts'))
    worker.send(place)
    worker.on('message', (message: SeedReport | 'ready') => {
      if (message !== 'ready') report(message)
      worker.send(take() as number)
    })
    worker.on('error', reject)
    worker.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`a worker ended with code ${code}`)),
    )
  })
}

function print({ seed, broken, timeline, hash, stepCount }: SeedReport): void {
  console.log(`\nseed ${seed}: ${broken ?? 'no promise broken'}`)
  console.log(timeline.join('\n'))
  console.log(`trace ${hash.slice(0, 16)}, ${stepCount} steps. Again: npm run simulate -- --seed ${seed}\n`)
}

/** The codes that the service compares with its release, from the real contracts. */
async function readCodes(): Promise<Pick<WorkPlace, 'factoryCode' | 'pullFactoryCode'>> {
  const folder = await makeTemporaryFolder('simulate-chain', { isSearched: false })
  const { port, identity } = await withFreePort(undefined, async (free) => ({
    port: free,
    identity: await launchAnvil({
      port: free,
      folder: folder.path,
      slotsInAnEpoch: 1,
      hasKnownAccounts: true,
    }),
  }))
  try {
    const client = anvilClient(rpcUrlOf(port))
    const { factory, pullFactory } = await deployContracts(client)
    const [factoryCode, pullFactoryCode] = await Promise.all(
      [factory, pullFactory].map((address) => client.getCode({ address })),
    )
    if (!factoryCode || !pullFactoryCode) throw new Error('the factories were not deployed')
    return { factoryCode, pullFactoryCode }
  } finally {
    await stopProcess(identity, [{ signal: 'SIGKILL', waitMs: 5_000 }])
    await folder.remove()
  }
}

function readNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} must be a positive integer`)
  return number
}

function secondsSince(at: number): number {
  return Math.round((Date.now() - at) / 1000)
}
