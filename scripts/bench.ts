import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import pg from 'pg'
import { measurePeer, vendureVersion } from './bench/measure-peer.ts'
import {
  type Bench,
  countOfOthers,
  makeCreation,
  measureRound,
  type Round,
  readProcess,
  startPlainService,
  type WorkName,
  warmUp,
  works,
} from './bench/measure-work.ts'
import { type Figure, isMissed, printTable } from './bench/report.ts'
import { copyReceipts, makePlainStatements } from './bench/tables.ts'
import { runCli, type StartedService, startService } from './run/running-service.ts'

const receipts = 300_000
const merchants = 64
const parts = ['rest', 'create', 'read', 'list', 'ready'] as const

const help = `Usage: npm run bench [-- --rounds N] [--only ${parts.join(',')}] [--peer]

Measures the service as npm start runs it, with its embedded PostgreSQL and local chain, next to pgbench on the same
PostgreSQL and to a service of 20 lines that runs the same statements: one merchant, one key, 32 connections, ${receipts.toLocaleString('en')} receipts; then ${merchants} merchants with one key each.
Only RATE_LIMIT_SCALE is set. Prints medians and the spread of all rounds next to their marks; the exit code is 1 if
a mark is missed. Needs Linux and pgbench.

  --rounds N  PostgreSQL and the service in turns, 25 s for each work (default: 5)
  --only      some parts, separated by commas
  --peer      also the same orders through Vendure ${vendureVersion}, installed from npm into .cache
`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: parts.join() },
    peer: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const chosen = values.only.split(',')
const isWrong = !(rounds >= 1) || chosen.some((name) => !(parts as readonly string[]).includes(name))

if (values.help || isWrong) console.log(help)
process.exitCode = values.help ? 0 : isWrong ? 2 : await run()

async function run(): Promise<number> {
  const isChosen = (name: (typeof parts)[number]) => chosen.includes(name)
  const settings = { RATE_LIMIT_SCALE: '10000' }
  const figures: Figure[] = []
  const ofWorks: Record<string, Figure[]> = {}
  let service = await startService(settings)
  try {
    const names = (Object.keys(works) as WorkName[]).filter(isChosen)
    const bench = await prepare(service, names.length > 0 ? merchants : 1)
    if (isChosen('rest')) figures.push(...(await measureRest(service)))
    await warmUp(bench)
    const measured: { work: WorkName; round: Round }[] = []
    for (let i = 0; i < rounds; i++)
      for (const work of names) measured.push({ work, round: await measureRound(bench, work) })
    for (const work of names) {
      const done = measured.filter((each) => each.work === work).map(({ round }) => round)
      ofWorks[works[work].what] = describeWork(work, done)
    }
    const rssMb = Math.max(...measured.map(({ round }) => round.rssMb))
    if (names.length > 0) figures.push({ what: 'most memory under load, MB', values: [rssMb], most: 350 })
    if (values.peer) figures.push(...(await measurePeer(bench, rounds)))
    const seconds: number[] = []
    for (let i = 0; i < rounds && isChosen('ready'); i++) {
      await service.kill()
      const startedAt = performance.now()
      service = await startService({ ...settings, DATA_DIR: service.dataDir })
      seconds.push((performance.now() - startedAt) / 1_000)
    }
    if (seconds.length > 0)
      figures.push({ what: 'ready after `kill -9`, s', values: seconds, digits: 1, most: 3 })
  } finally {
    await service.stop()
  }
  printTable(ofWorks)
  printTable({ Service: figures })
  return [...Object.values(ofWorks).flat(), ...figures].some(isMissed) ? 1 : 0
}

/** Creates merchants, keys and copies of one receipt from the API. Prints the hardware and the versions. */
async function prepare(service: StartedService, merchantCount: number): Promise<Bench> {
  const { baseUrl: url, databaseUrl, pid } = service
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const id = 'bench-model'
    const response = await fetch(`${url}/api/receipts`, makeCreation(id, service.subscriptionKey))
    if (response.status !== 201) throw new Error(`no receipt: ${response.status} ${await response.text()}`)
    const model = { id, merchant: parseWallet(service.merchant.address) ?? '' }
    await copyReceipts(client, model, model.merchant, receipts)
    const keys = [service.subscriptionKey]
    while (keys.length < merchantCount) {
      const wallet = `0x${randomBytes(20).toString('hex')}`
      keys.push(runCli(service, 'merchant', 'create', wallet, '--name', 'Bench').subscription.primaryKey)
      await copyReceipts(client, model, parseWallet(wallet) ?? '', countOfOthers)
    }
    // Otherwise PostgreSQL would do both within minutes, during the measurements.
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
    const { rows } = await client.query('SHOW server_version')
    const processors = `${cpus().length} × ${cpus()[0]?.model}`
    const versions = `Node.js ${process.version}, PostgreSQL ${rows[0].server_version}`
    console.log(
      `${processors}, ${versions}, ${new Date().toISOString().slice(0, 10)}, --rounds ${rounds}; load ${loadavg()[0]}`,
    )
    const plain = await makePlainStatements(client, model)
    const bench = { url, databaseUrl, pid, keys, count: receipts, plain }
    return { ...bench, plainUrl: await startPlainService(bench) }
  } finally {
    await client.end()
  }
}

/**
 * Measures the idle service, starting 30 seconds after its data was created. PostgreSQL logs each statement.
 */
async function measureRest({ pid, databaseUrl, dataDir }: StartedService): Promise<Figure[]> {
  const seconds = 30
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const countStatements = () =>
    [
      ...readFileSync(join(dataDir, 'postgres/postgres.log'), 'utf8').matchAll(
        /LOG: {2}(statement|execute) /g,
      ),
    ].length
  try {
    await sleep(30_000)
    await client.query("ALTER SYSTEM SET log_statement = 'all'")
    await client.query('SELECT pg_reload_conf()')
    await sleep(1_000)
    const [statements, { cpuMs }] = [countStatements(), readProcess(pid)]
    await sleep(seconds * 1_000)
    const after = readProcess(pid)
    const sent = countStatements() - statements
    return [
      { what: 'statements at rest, a second', values: [sent / seconds], digits: 1, most: 40 },
      {
        what: 'CPU at rest, % of a core',
        values: [(after.cpuMs - cpuMs) / seconds / 10],
        digits: 1,
        most: 3,
      },
      { what: 'memory at rest, MB', values: [after.rssMb], most: 220 },
    ]
  } finally {
    await client.query('ALTER SYSTEM RESET log_statement')
    await client.query('SELECT pg_reload_conf()')
    await client.end()
  }
}

function describeWork(work: WorkName, done: readonly Round[]): Figure[] {
  const figure = (what: string, of: (round: Round) => number, more: Partial<Figure> = {}): Figure => ({
    ...{ what, values: done.map(of) },
    ...more,
  })
  const [digits, ratio] = [{ digits: 1 }, { digits: 2, least: works[work].mark }]
  return [
    figure('PostgreSQL alone, a second', ({ alone }) => alone.perSecond),
    figure('plain service, a second', ({ floor }) => floor.perSecond),
    figure('one key, a second', ({ one }) => one.perSecond),
    figure('one key, of PostgreSQL alone', ({ one, alone }) => one.perSecond / alone.perSecond, {
      digits: 2,
    }),
    figure('one key, of the plain service', ({ one, floor }) => one.perSecond / floor.perSecond, ratio),
    figure(`${merchants} merchants, a second`, ({ many }) => many.perSecond),
    // Should be as fast as one key, but the rows of 64 merchants fit less well into the processor's caches.
    figure(`${merchants} merchants, of one`, ({ many, one }) => many.perSecond / one.perSecond, {
      ...ratio,
      least: 0.85,
    }),
    figure('CPU of the service for a request, µs', ({ cpuUs }) => cpuUs),
    figure('half load, PostgreSQL alone: p50, ms', ({ aloneHalf }) => aloneHalf.p50, digits),
    figure('half load, PostgreSQL alone: p99, ms', ({ aloneHalf }) => aloneHalf.p99, digits),
    figure('half load, plain service: p50, ms', ({ floorHalf }) => floorHalf.p50, digits),
    figure('half load, plain service: p99, ms', ({ floorHalf }) => floorHalf.p99, digits),
    figure('half load: p50, ms', ({ half }) => half.p50, digits),
    figure('half load: p99, ms', ({ half }) => half.p99, { digits: 1, most: 50 }),
  ]
}
