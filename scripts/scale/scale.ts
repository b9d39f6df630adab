import { parseArgs } from 'node:util'
import { templateName } from '../../apps/server/test/support/database/shared-postgres.ts'
import { runCommand } from '../run/run-command.ts'
import { readServerSources, readStatements } from '../sql/read-statements.ts'
import { removeCaps } from './cap-processor.ts'
import { compareRates } from './compare-rates.ts'
import { explainStatements } from './explain-statements.ts'
import { type ClusterUrls, closeForCopies, makeSpreadDatabase } from './make-database.ts'
import { type OpenCluster, openCluster } from './open-cluster.ts'
import { walkToCluster } from './walk-to-cluster.ts'

const parts = ['statements', 'walk', 'rates', 'tests', 'chaos'] as const

const help = `Usage: npm run scale -- (--source DIR | --coordinator URL --workers URL,URL) [--only ${parts.join('|')}] [options]

Runs the server's statements and its tests on a cluster of Citus, as docs/operations.md describes one: each statement is
explained and run by its name, and what fails or asks more than one shard is printed; the commands of that page turn one
PostgreSQL with receipts into a cluster while receipts are created; rates of creating, reading, listing
and telling by webhook are measured with one worker and with two, beside one PostgreSQL; then the tests of the API, the
contract and the flows run. With --only chaos, and not otherwise, three processes of the service on the cluster are frozen,
killed and cut off at random while they sell, and so are workers that were started here; what they sold is checked.

With --source, Citus is built for the PostgreSQL of pg_config and installed there, unless it is (Debian: postgresql-15,
postgresql-server-dev-15, flex and the -dev packages of curl, lz4, zstd, ssl, krb5, pam, xml2, xslt and readline); a coordinator, two
workers and one PostgreSQL without Citus are started in a temporary folder and removed afterwards. With URLs, which lead to
maintenance databases, the cluster's nodes get databases of their own; the walk and the rates are left out there.

  --only             one part
  --seconds N        of each measurement (default: 10)
  --rounds N         of the measurements, in turns (default: 3)
  --processor SHARE  of one processor, that each worker and the one PostgreSQL may use (default: 0.1)
  --minutes N        of chaos (default: 5)
  --filter TEXT      of the tests: a part of a file's path (default: the API, the contract, the flows)`

const { values } = parseArgs({
  options: {
    source: { type: 'string' },
    coordinator: { type: 'string' },
    workers: { type: 'string' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    processor: { type: 'string', default: '0.1' },
    minutes: { type: 'string', default: '5' },
    filter: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const testShards = 4
const statementsDatabase = 'sluice_scale_statements'

if (values.help) console.log(help)
else process.exitCode = await run()

async function run(): Promise<number> {
  if (values.only !== undefined && !(parts as readonly string[]).includes(values.only)) {
    console.error(`--only takes ${parts.join(', ')}`)
    return 2
  }
  const isWanted = (part: (typeof parts)[number]) => values.only === undefined || values.only === part
  const cluster = await openCluster({
    coordinator: values.coordinator,
    workers: values.workers,
    source: values.source,
  })
  try {
    let faults = 0
    if (isWanted('statements')) faults += await runStatements(cluster)
    if (isWanted('rates'))
      await compareRates(cluster, {
        seconds: Number(values.seconds),
        rounds: Number(values.rounds),
        processor: Number(values.processor),
      })
    if (isWanted('walk') && cluster.own) faults += await runWalk()
    if (isWanted('tests')) faults += await runTests(cluster)
    if (values.only === 'chaos') faults += await runChaos(cluster)
    return faults > 0 ? 1 : 0
  } finally {
    await cluster.stop()
    removeCaps()
  }
}

/** How many statements the cluster cannot do. */
async function runStatements({ urls }: OpenCluster): Promise<number> {
  const url = await makeSpreadDatabase(urls, statementsDatabase, 32)
  const explained = await explainStatements(url, readStatements(readServerSources()))
  const failed = explained.filter(({ fault }) => fault !== undefined)
  const many = explained.filter(({ tasks }) => tasks > 1)
  for (const { name, place, fault } of failed) console.log(`fails     ${name.padEnd(44)} ${place}  ${fault}`)
  for (const { name, place, tasks } of many)
    console.log(`${String(tasks).padStart(3)} shards ${name.padEnd(44)} ${place}`)
  console.log(
    `statements: ${explained.length}, ${failed.length} fail, ${many.length} ask more than one shard`,
  )
  return failed.length
}

/** How much of the way from one PostgreSQL to a cluster, by docs/operations.md, goes wrong. */
async function runWalk(): Promise<number> {
  const faults = await walkToCluster(values.source)
  for (const fault of faults) console.log(`walk: ${fault}`)
  return faults.length
}

/** 1 where a test fails. */
async function runTests({ urls }: OpenCluster): Promise<number> {
  const filters = values.filter !== undefined ? [values.filter] : []
  return runProject(urls, [
    '--project',
    'server',
    '--project',
    'deep',
    '--maxWorkers',
    '2',
    '--reporter',
    'dot',
    ...filters,
  ])
}

/** 1 where something is lost, doubled or stuck. Workers that are not ours are left alone. */
async function runChaos({ urls, own }: OpenCluster): Promise<number> {
  const env = { CHAOS_MINUTES: values.minutes, CHAOS_WORKERS: own ? 'yes' : 'no' }
  return runProject(urls, ['--project', 'chaos', '--silent=false'], env)
}

async function runProject(urls: ClusterUrls, args: readonly string[], more = {}): Promise<number> {
  await makeSpreadDatabase(urls, templateName, testShards)
  await closeForCopies(urls, templateName)
  const env = { TEST_POSTGRES_URL: urls.coordinator, TEST_POSTGRES_WORKERS: urls.workers.join(','), ...more }
  const show = (text: string) => void process.stdout.write(text)
  const { exitCode } = await runCommand('vitest', ['run', ...args], { show, env })
  return exitCode === 0 ? 0 : 1
}
