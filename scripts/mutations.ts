import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSharedPostgres } from '../apps/server/test/support/shared-postgres.ts'
import { mutations } from './mutations/all.ts'
import { copyTree } from './mutations/copy-tree.ts'
import { judgeMutations } from './mutations/judge-mutations.ts'
import type { Mutation } from './mutations/mutation.ts'
import { runMutation, type Verdict } from './mutations/run-mutation.ts'
import { formatDuration } from './run/run-command.ts'
import { reportFaults } from './source/fault.ts'
import { repositoryRoot } from './source/list-files.ts'

const help = `Usage: npm run mutations [-- text…]

Breaks the server in one small way after another, in a copy, and demands that a contract test turns red each time.
With texts: only those whose name, file or tests have one of them. Ends with 1 where something survived.

  --list   print the mutations and run none
  --check  say whether each of them still fits the source, and run none`

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
  console.error(`${unknown ? `There is no option ${unknown}` : 'No mutation is called so'}.\n\n${help}`)
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
  const startedAt = Date.now()
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const postgres = await startSharedPostgres()
  const tree = copyTree()
  const escaped: [Mutation, Verdict][] = []
  let count = 0
  try {
    for (const mutation of list) {
      if (stopping.signal.aborted) break
      const verdict = await runMutation(tree, mutation, postgres.url)
      count += 1
      const { kind, detail, durationMs } = verdict
      const time = formatDuration(durationMs).padStart(7)
      console.log(`${kind.padEnd(8)} ${time}  ${mutation.name.padEnd(56)} ${detail}`)
      if (kind !== 'caught') escaped.push([mutation, verdict])
    }
  } finally {
    tree.remove()
    await postgres.stop()
  }
  const time = formatDuration(Date.now() - startedAt)
  console.log(`\n${count - escaped.length} of ${list.length} caught in ${time}`)
  for (const [{ name, file }, { kind, detail }] of escaped)
    console.log(`${kind}: ${name} (${file}): ${detail}`)
  if (count < list.length || escaped.length > 0) process.exitCode = 1
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(join(repositoryRoot, path), 'utf8')
  } catch {
    return undefined
  }
}
