import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../run/run-command.ts'
import type { Tree } from './copy-tree.ts'
import { testFile } from './judge-mutations.ts'
import type { Mutation } from './mutation.ts'

/** What became of a mutation. */
export type Verdict = {
  /** `caught`: a test turned red; `survived`: none did; `broken`: the tests could not even be run. */
  readonly kind: 'caught' | 'survived' | 'broken'
  /** The first red test, or how it ended. */
  readonly detail: string
  readonly durationMs: number
}

/**
 * Breaks the tree in one way, runs the tests that must notice, up to the first that does, and mends it again.
 *
 * @param postgresUrl - The PostgreSQL that all runs share.
 */
export async function runMutation(tree: Tree, mutation: Mutation, postgresUrl: string): Promise<Verdict> {
  const path = join(tree.path, mutation.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    text.replace(mutation.find, () => mutation.replace),
  )
  try {
    return await runTests(tree, mutation.tests, postgresUrl)
  } finally {
    writeFileSync(path, text)
  }
}

/** Runs contract tests in the tree as it is: `survived` is what they must come to where nothing is broken. */
export async function runTests(tree: Tree, tests: readonly string[], postgresUrl: string): Promise<Verdict> {
  const report = join(tree.path, 'report.json')
  rmSync(report, { force: true })
  const reporters = ['--reporter=json', `--outputFile.json=${report}`]
  const { output, durationMs } = await runCommand(
    'vitest',
    ['run', '--project', 'server', '--bail', '1', '--retry', '0', ...reporters, ...tests.map(testFile)],
    { cwd: tree.path, env: { TEST_POSTGRES_URL: postgresUrl } },
  )
  return { ...judge(readReport(report), output), durationMs }
}

type Report = {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[]
  }[]
}

function judge(report: Report | undefined, output: string): Omit<Verdict, 'durationMs'> {
  if (!report) return { kind: 'broken', detail: lastLine(output) }
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const red = results.find(({ status }) => status === 'failed')
  if (red) return { kind: 'caught', detail: red.title }
  const broken = report.testResults.find(({ message }) => message !== '')
  if (broken) return { kind: 'broken', detail: broken.message.split('\n', 1)[0] ?? '' }
  if (!results.some(({ status }) => status === 'passed')) return { kind: 'broken', detail: 'no test was run' }
  return { kind: 'survived', detail: 'every test stayed green' }
}

function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1) ?? ''
}
