import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSharedPostgres } from '../apps/server/test/support/database/shared-postgres.ts'
import { mutations } from './mutations/all.ts'
import { copyTree, type Tree } from './mutations/copy-tree.ts'
import { judgeMutations } from './mutations/judge-mutations.ts'
import type { Mutation } from './mutations/mutation.ts'
import { runMutation, runTests } from './mutations/run-mutation.ts'
import { formatDuration } from './run/run-command.ts'
import { reportFaults } from './source/fault.ts'
import { repositoryRoot } from './source/list-files.ts'

const help = `Usage: npm run mutations [-- text…]

Breaks a copy of the server in one small way after another and expects a contract test to fail each time. With
texts: only mutations whose name, file or tests contain one of them. Exits with code 1 if a mutation survives.

  --list   list the mutations without running them
  --check  check that each mutation still applies to the source, without running them`

const args = process.argv.slice(2)
const texts = args.filter((arg) => !arg.startsWith('--'))
const chosen = mutations.filter(
  ({ name, file, tests }) =>
    texts.length === 0 || texts.some((text) => [name, file, ...tests].some((each) => each.includes(text))),
)
const unknown = args.find((arg) => arg.startsWith('--') && !['--help', '--list', '--check'].includes(arg))
if (args.includes('--help')) {
  console.log(help)
} else if (unknown !== undefined || chosen.length === 0) {
  console.error(`${unknown ? `Unknown option: ${unknown}` : 'No mutation matches'}.\n\n${help}`)
  process.exitCode = 2
} else if (args.includes('--list')) {
  for (const { name, file, tests } of chosen) console.log(`${name.padEnd(56)} ${tests.join(' ')}  ${file}`)
  console.log(`\n${chosen.length} mutations`)
} else if (args.includes('--check')) {
  reportFaults(`${mutations.length} mutations`, judgeMutations(mutations, readIfThere))
} else {
  await run(chosen)
}

async function run(list: readonly Mutation[]): Promise<void> {
  const tree = copyTree()
  try {
    const postgres = await startSharedPostgres()
    await runAll(tree, postgres.url, list).finally(() => postgres.stop())
  } finally {
    tree.remove()
  }
}

async function runAll(tree: Tree, postgresUrl: string, list: readonly Mutation[]): Promise<void> {
  const startedAt = Date.now()
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  process.exitCode = 1
  // A test that is red by itself would take the credit for everything.
  const tests = [...new Set(list.flatMap((mutation) => mutation.tests))]
  const whole = await runTests(tree, tests, postgresUrl)
  if (whole.kind !== 'survived')
    return console.log(`The tests already fail without mutations: ${whole.detail}`)

  const escaped: string[] = []
  let count = 0
  for (const mutation of list) {
    if (stopping.signal.aborted) break
    const { name, file } = mutation
    const { kind, detail, durationMs } = await runMutation(tree, mutation, postgresUrl)
    count += 1
    console.log(`${kind.padEnd(8)} ${formatDuration(durationMs).padStart(7)}  ${name.padEnd(56)} ${detail}`)
    if (kind !== 'caught') escaped.push(`${kind}: ${name} (${file}): ${detail}`)
  }
  const time = formatDuration(Date.now() - startedAt)
  console.log(['', `${count - escaped.length} of ${list.length} caught in ${time}`, ...escaped].join('\n'))
  if (count === list.length && escaped.length === 0) process.exitCode = 0
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(join(repositoryRoot, path), 'utf8')
  } catch {
    return undefined
  }
}
