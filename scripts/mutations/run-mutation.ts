import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { countForge } from '../run/count-tests.ts'
import { runCommand } from '../run/run-command.ts'
import type { Tree } from './copy-tree.ts'
import type { Place } from './find-place.ts'
import { testFile } from './judge-mutations.ts'
import type { Mutation } from './mutation.ts'

/** What became of a mutation. */
export type Verdict = {
  /**
   * `caught`: a test turned red; `survived`: none did; `broken`: the tests could not even be run; `stale`: the
   * entry does not fit the source.
   */
  readonly kind: 'caught' | 'survived' | 'broken' | 'stale'
  /** The first red test, or how it ended. */
  readonly detail: string
  readonly durationMs: number
}

/**
 * Breaks the tree in one way, runs the tests that must notice, up to the first that does, and mends it again.
 *
 * @param run - Runs tests by their names.
 */
export async function runMutation(
  tree: Tree,
  place: Place,
  mutation: Mutation,
  run: (tests: readonly string[]) => Promise<Verdict>,
): Promise<Verdict> {
  const path = join(tree.path, place.path)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(0, place.start) + mutation.replace.trim() + text.slice(place.end))
  try {
    return await run(mutation.tests)
  } finally {
    writeFileSync(path, text)
  }
}

/** The projects that tests of the server belong to. */
const projects = ['unit', 'server', 'browser', 'deep'].flatMap((name) => ['--project', name])

/**
 * Runs tests of the server in the tree as it is: `survived` is what they must come to where nothing is broken.
 *
 * @param postgresUrl - The PostgreSQL that all runs share.
 */
export async function runTests(tree: Tree, tests: readonly string[], postgresUrl: string): Promise<Verdict> {
  const report = join(tree.path, 'report.json')
  rmSync(report, { force: true })
  const reporters = ['--reporter=json', `--outputFile.json=${report}`]
  const { output, durationMs } = await runCommand(
    'vitest',
    ['run', ...projects, '--bail', '1', ...reporters, ...tests.map(testFile)],
    { cwd: tree.path, env: { TEST_POSTGRES_URL: postgresUrl } },
  )
  return { ...judge(readReport(report), output), durationMs }
}

/** Runs tests of the contracts, likewise. */
export async function runForge(tree: Tree, tests: readonly string[]): Promise<Verdict> {
  const { output, durationMs, exitCode } = await runCommand(
    'node',
    ['tools/run-forge.ts', 'test', '--fail-fast', '--match-path', `test/{${tests.join(',')}}.t.sol`],
    { cwd: join(tree.path, 'contracts') },
  )
  return { ...judgeForge(stripVTControlCharacters(output), exitCode), durationMs }
}

function judgeForge(output: string, exitCode: number): Omit<Verdict, 'durationMs'> {
  const { passed, failed } = countForge(output)
  const red = /^\[FAIL.*\]\s+((?:test|invariant)\w*\(.*?\))/m.exec(output)
  if (failed > 0) return { kind: 'caught', detail: red?.[1] ?? 'a test of the contracts' }
  if (exitCode !== 0 || passed === 0)
    return { kind: 'broken', detail: /^Error.*/m.exec(output)?.[0] ?? lastLine(output) }
  return { kind: 'survived', detail: 'every test stayed green' }
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
