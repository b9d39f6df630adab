import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addCounts, type Counts, countForge, emptyCounts, evaluateStep } from './run/count-tests.ts'
import { measureReferenceMs, readBusyMs } from './run/machine-time.ts'
import { formatDuration, runCommand } from './run/run-command.ts'
import { countsFileName, describeCounts } from './run/summary-reporter.ts'

const suites: Readonly<Record<string, string>> = {
  contracts: 'the contracts: tests, generated ABI, gas',
  unit: 'unit tests, next to the code they test',
  server: 'the API, complete flows and the quickstart, on a real database and chain',
  browser: 'journeys through the pages in Chromium',
  deep: 'full walks, fault tests, variants and languages: `npm run test:deep`',
}
/** Suites of `npm test` without arguments. */
const fast = ['contracts', 'unit', 'server', 'browser']

const help = `Usage: npm test [-- suite] [-- file…] [-- --changed]
       npm run test:deep [-- file…]

Without arguments, runs every suite but \`deep\`:

${Object.entries(suites)
  .map(([name, what]) => `  ${name.padEnd(9)} ${what}`)
  .join('\n')}

  npm test -- unit                 one suite
  npm test -- api/create-receipt   the test files whose path contains this text, in any suite
  npm test -- --changed            the test files that the changes of the working tree can affect

Other options go to Vitest: npm test -- get-receipt -t 'another merchant'
TEST_SEED=n repeats the random samples of a run; each run prints its seed.
The last line says how many tests passed and failed; the exit code is 0 only if none failed.`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  console.log(help)
} else {
  await run(args)
}

async function run(given: readonly string[]): Promise<void> {
  const [first, ...rest] = given
  const isSuite = first !== undefined && first in suites
  const chosen = isSuite ? [first] : first === undefined ? fast : Object.keys(suites)
  const filters = isSuite ? rest : given
  const isDeep = isSuite && first === 'deep'
  // A file filter or a Vitest option excludes the contract tests.
  const hasContracts = filters.length === 0 && (chosen.includes('contracts') || isDeep)
  const projects = chosen.filter((name) => name !== 'contracts')

  const startedAt = performance.now()
  const referenceMs = filters.length === 0 ? measureReferenceMs() : undefined
  const busyBefore = readBusyMs()
  const [contracts, vitest] = await Promise.all([
    hasContracts ? runContracts({ isDeep, showsAll: projects.length === 0 }) : emptyCounts,
    projects.length > 0 ? runVitest(projects, filters, isDeep) : emptyCounts,
  ])
  const busyAfter = readBusyMs()

  const total = addCounts(contracts, vitest)
  if (hasContracts) console.log(`contracts ${describeCounts(contracts)}`)
  const figures = [
    formatDuration(performance.now() - startedAt),
    ...(busyBefore === undefined || busyAfter === undefined
      ? []
      : [`${formatDuration(busyAfter - busyBefore)} of CPU on the whole machine`]),
    ...(referenceMs === undefined ? [] : [`reference loop ${Math.round(referenceMs)} ms`]),
  ]
  console.log(`${describeCounts(total)} in ${figures.join(', ')}`)
  if (total.failed > 0) process.exitCode = 1
}

/**
 * Runs the contract tests, then three gates that count as one test each. The deep tier has no gates, but more
 * fuzz cases and longer invariant runs. Prints only the output of failures, unless `showsAll` is set.
 */
async function runContracts({ isDeep, showsAll }: { isDeep: boolean; showsAll: boolean }): Promise<Counts> {
  const show = showsAll ? { show: print } : {}
  const env = { FOUNDRY_PROFILE: isDeep ? 'deep' : 'default' }
  const tests = await runCommand('npm', ['test', '--silent', '-w', '@sluice/contracts'], { ...show, env })
  let counts = evaluateStep(countForge(tests.output), tests.exitCode)
  if (counts.failed > 0 && !showsAll) print(tests.output)
  const gates = [
    ['contracts/tools/write-abi.ts', '--check'],
    ['contracts/tools/write-deployments.ts', '--check'],
    ['contracts/gas/gas.ts'],
  ]
  for (const gate of isDeep ? [] : gates) {
    const { exitCode, output } = await runCommand('node', gate, show)
    if (exitCode !== 0 && !showsAll) print(`node ${gate.join(' ')}\n${output}`)
    counts = addCounts(counts, { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 })
  }
  return counts
}

async function runVitest(
  projects: readonly string[],
  filters: readonly string[],
  isDeep: boolean,
): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const countsFile = join(folder, 'tally.json')
  try {
    const options = [
      ...projects.map((name) => `--project=${name}`),
      ...['default', './scripts/run/summary-reporter.ts'].map((name) => `--reporter=${name}`),
    ]
    const env = { [countsFileName]: countsFile, ...(isDeep && { TEST_SECRETS_IN: 'files' }) }
    const { exitCode } = await runCommand('vitest', ['run', ...options, ...filters], { show: print, env })
    const counts = readCounts(countsFile)
    // A change that affects only documents may select no tests.
    const mayBeEmpty = exitCode === 0 && filters.some((filter) => filter.startsWith('--changed'))
    return mayBeEmpty ? counts : evaluateStep(counts, exitCode)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readCounts(file: string): Counts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Counts
  } catch {
    return emptyCounts
  }
}

function print(text: string): void {
  process.stdout.write(text)
}
