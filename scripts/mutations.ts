import { startSharedPostgres } from '../apps/server/test/support/database/shared-postgres.ts'
import { mutations } from './mutations/all.ts'
import { copyTree, type Tree } from './mutations/copy-tree.ts'
import { findPlace, type Place, type Sources } from './mutations/find-place.ts'
import { isContract, judgeMutations } from './mutations/judge-mutations.ts'
import type { Mutation } from './mutations/mutation.ts'
import { readSources } from './mutations/read-sources.ts'
import { runForge, runMutation, runTests, type Verdict } from './mutations/run-mutation.ts'
import { formatDuration } from './run/run-command.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'

const help = `Usage: npm run mutations [-- text…]

Breaks the server and the contracts in one small way after another, in a copy, and demands that a test turns red
each time. With texts: only those whose name, place or tests have one of them. Ends with 1 where something
survived, or where an entry of the list no longer fits the source.

  --contracts  only the contracts: their tests are run by forge
  --server     only the server: its tests are run on a PostgreSQL of their own
  --from=NAME  begin at this mutation: to go on where a run of hours was ended
  --list       print the mutations, say which of them do not fit, and run none`

type Job = { readonly mutation: Mutation; readonly place: Place | string }

const options = ['--help', '--list', '--contracts', '--server']
const args = process.argv.slice(2)
const has = (option: string) => args.includes(option)
const texts = args.filter((arg) => !arg.startsWith('--'))
const first = args.find((arg) => arg.startsWith('--from='))?.slice('--from='.length)
const unknown = args.find(
  (arg) => arg.startsWith('--') && !arg.startsWith('--from=') && !options.includes(arg),
)
const sources = readSources(repositoryRoot)
const faults = judgeMutations(mutations, sources, listFiles(repositoryRoot, ['.test.ts', '.t.sol']))
const chosen = mutationsFrom(first)
  .map((mutation) => toJob(mutation, sources))
  .filter(isChosen)

if (has('--help')) {
  console.log(help)
} else if (unknown !== undefined || chosen.length === 0) {
  console.error(`${unknown ? `Unknown option: ${unknown}` : 'No mutation matches'}.\n\n${help}`)
  process.exitCode = 2
} else if (has('--list')) {
  for (const { mutation, place } of chosen)
    console.log(`${mutation.name.padEnd(56)} ${mutation.tests.join(' ')}  ${whereOf(place)}`)
  const stale = chosen.filter(({ place }) => typeof place === 'string').length
  console.log(`\n${chosen.length} mutations, ${stale} of them do not fit`)
  if (stale > 0) process.exitCode = 1
} else {
  await run(chosen)
}

/** None where no mutation has the name. */
function mutationsFrom(name: string | undefined): readonly Mutation[] {
  if (name === undefined) return mutations
  const index = mutations.findIndex((mutation) => mutation.name === name)
  return index < 0 ? [] : mutations.slice(index)
}

function toJob(mutation: Mutation, within: Sources): Job {
  return { mutation, place: faults.get(mutation.name) ?? findPlace(within, mutation) }
}

function isChosen({ mutation, place }: Job): boolean {
  const isOfContracts = typeof place === 'string' ? undefined : isContract(place.path)
  if (has('--contracts') && isOfContracts === false) return false
  if (has('--server') && isOfContracts === true) return false
  const sayings = [mutation.name, mutation.in, whereOf(place), ...mutation.tests]
  return texts.length === 0 || texts.some((text) => sayings.some((each) => each.includes(text)))
}

function whereOf(place: Place | string): string {
  return typeof place === 'string' ? place : place.path
}

async function run(jobs: readonly Job[]): Promise<void> {
  process.exitCode = 1
  const startedAt = Date.now()
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const escaped: string[] = []
  let caught = 0
  const report = ({ mutation: { name }, place }: Job, { kind, detail, durationMs }: Verdict) => {
    console.log(`${kind.padEnd(8)} ${formatDuration(durationMs).padStart(7)}  ${name.padEnd(56)} ${detail}`)
    if (kind === 'caught') caught += 1
    else escaped.push(`${kind}: ${name} (${whereOf(place)}): ${detail}`)
  }
  const tree = copyTree()
  try {
    for (const job of jobs)
      if (typeof job.place === 'string') report(job, { kind: 'stale', detail: job.place, durationMs: 0 })
    const ofContracts = jobs.filter(({ place }) => typeof place !== 'string' && isContract(place.path))
    const ofServer = jobs.filter(({ place }) => typeof place !== 'string' && !isContract(place.path))
    const forge = (tests: readonly string[]) => runForge(tree, tests)
    await runAll(tree, ofContracts, forge, report, stopping.signal)
    if (ofServer.length > 0 && !stopping.signal.aborted) {
      const postgres = await startSharedPostgres()
      const vitest = (tests: readonly string[]) => runTests(tree, tests, postgres.url)
      await runAll(tree, ofServer, vitest, report, stopping.signal).finally(() => postgres.stop())
    }
  } finally {
    tree.remove()
  }
  const time = formatDuration(Date.now() - startedAt)
  console.log(['', `${caught} of ${jobs.length} caught in ${time}`, ...escaped].join('\n'))
  if (caught === jobs.length) process.exitCode = 0
}

async function runAll(
  tree: Tree,
  jobs: readonly Job[],
  runNamed: (tests: readonly string[]) => Promise<Verdict>,
  report: (job: Job, verdict: Verdict) => void,
  signal: AbortSignal,
): Promise<void> {
  if (jobs.length === 0) return
  // A test that is red by itself would take the credit for everything.
  const whole = await runNamed([...new Set(jobs.flatMap(({ mutation }) => mutation.tests))])
  if (whole.kind !== 'survived') {
    console.log(`The tests already fail without mutations: ${whole.detail}`)
    return
  }
  for (const job of jobs) {
    if (signal.aborted) return
    if (typeof job.place !== 'string') report(job, await runMutation(tree, job.place, job.mutation, runNamed))
  }
}
