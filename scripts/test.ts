import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addTallies, countForge, countVitest, emptyTally, judgeStep, type Tally } from './run/count-tests.ts'
import { nameLines } from './run/name-lines.ts'
import { formatDuration, runCommand } from './run/run-command.ts'
import { tellFailures } from './run/tell-failures.ts'

/** How a suite is run: where its output goes, and on how many workers where its own number is not right. */
type How = { readonly show: (text: string) => void; readonly workers?: number }
/** What a suite came to, and what failed in it, told once more at the end of everything. */
type Result = { readonly tally: Tally; readonly failures: readonly string[] }
type Suite = {
  readonly what: string
  readonly run: (filters: readonly string[], how: How) => Promise<Result>
}

const suites: Readonly<Record<string, Suite>> = {
  contracts: {
    what: 'the contracts: tests, generated ABI, gas',
    run: (_filters, how) => runContracts(how),
  },
  unit: {
    what: 'unit tests, beside the code they test',
    run: (filters, how) => runVitest('unit', filters, how),
  },
  server: {
    what: 'the API and complete flows, with real components',
    run: (filters, how) => runVitest('server', filters, how),
  },
  docs: {
    what: 'the guides and snippets, run as they are',
    run: (filters, how) => runVitest('docs', filters, how),
  },
  browser: { what: 'the pages in Chromium', run: (filters, how) => runVitest('browser', filters, how) },
  alone: {
    what: 'what is measured while nothing else runs',
    run: (filters, how) => runVitest('server-alone', filters, how),
  },
}

/**
 * What runs side by side where every suite runs: the one waits most of its time, for blocks, leases and processes, and
 * leaves the processor to the others, which compute. Both take about as long. The last comes when both are over.
 */
const lanes: readonly { readonly names: readonly string[]; readonly workers?: number }[] = [
  { names: ['server'] },
  { names: ['contracts', 'unit', 'docs', 'browser'], workers: 3 },
]
const last = 'alone'

/** How a suite ended. */
type Run = Result & { readonly name: string; readonly ms: number }

const longestName = Math.max(...Object.keys(suites).map(({ length }) => length))

const help = `Usage: npm test [-- suite [filter…]]

Runs every suite, the server's beside the others and the last by itself, or one of them:

${Object.entries(suites)
  .map(([name, suite]) => `  ${name.padEnd(longestName)} ${suite.what}`)
  .join('\n')}

A filter is a part of a test file's path: npm test -- server api/create-receipt
The last line says how many tests passed and failed; the exit code is 0 only if none failed.`

const [first, ...filters] = process.argv.slice(2)
if (first === '--help') {
  console.log(help)
} else if (first !== undefined && !(first in suites)) {
  console.error(`Unknown suite: ${first}.\n\n${help}`)
  process.exitCode = 2
} else {
  await (first === undefined ? runAll() : runOne(first))
}

async function runOne(name: string): Promise<void> {
  report([await runSuite(name, { show: print })])
}

async function runAll(): Promise<void> {
  const startedAt = Date.now()
  const runs = await Promise.all(
    lanes.map(async ({ names, workers }) => {
      const done: Run[] = []
      for (const name of names) {
        const lines = nameLines(name.padEnd(longestName), print)
        done.push(await runSuite(name, { show: lines.write, ...(workers !== undefined && { workers }) }))
        lines.end()
      }
      return done
    }),
  )
  runs.push([await runSuite(last, { show: print })])
  const order = Object.keys(suites)
  console.log(`\n━━ all in ${formatDuration(Date.now() - startedAt)}`)
  report(runs.flat().sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)))
}

function print(text: string): void {
  process.stdout.write(text)
}

async function runSuite(name: string, how: How): Promise<Run> {
  const startedAt = Date.now()
  console.log(`\n━━ ${name}: ${suites[name]?.what}\n`)
  const result = (await suites[name]?.run(filters, how)) ?? { tally: emptyTally, failures: [] }
  return { name, ...result, ms: Date.now() - startedAt }
}

function report(runs: readonly Run[]): void {
  for (const { name, failures } of runs)
    for (const failure of failures) console.log(`\n━━ failed in ${name}: ${failure}`)
  const lines = runs.map(({ name, tally: { passed, failed, skipped }, ms }) => {
    const left = skipped > 0 ? `, ${skipped} skipped` : ''
    return `${name.padEnd(longestName)} ${passed} passed, ${failed} failed${left} in ${formatDuration(ms)}`
  })
  const total = runs.reduce((sum, { tally }) => addTallies(sum, tally), emptyTally)
  console.log(`\n${lines.join('\n')}\n`)
  console.log(`${total.passed} passed, ${total.failed} failed`)
  if (total.failed > 0) process.exitCode = 1
}

/** The contracts' own tests, then three gates that count as one test each. */
async function runContracts({ show }: How): Promise<Result> {
  const tests = await runCommand('npm', ['test', '-w', '@sluice/contracts'], { show })
  let tally = judgeStep(countForge(tests.output), tests.exitCode)
  const failures = tally.failed > 0 ? [...tellFailures(undefined, tests.output)] : []
  const gates = [
    ['contracts/tools/write-abi.ts', '--check'],
    ['contracts/tools/write-deployments.ts', '--check'],
    ['contracts/gas/gas.ts'],
  ]
  for (const gate of gates) {
    show(`\n─ node ${gate.join(' ')}\n`)
    const { exitCode, output } = await runCommand('node', gate, { show })
    const isFine = exitCode === 0
    if (!isFine) failures.push(`node ${gate.join(' ')}: ${tellFailures(undefined, output)}`)
    tally = addTallies(tally, { passed: isFine ? 1 : 0, failed: isFine ? 0 : 1, skipped: 0 })
  }
  return { tally, failures }
}

async function runVitest(
  projects: string,
  filters: readonly string[],
  { show, workers }: How,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const report = join(folder, 'report.json')
  try {
    const reporters = ['default', 'json', './scripts/run/name-second-tries.ts']
    const args = ['run', '--project', projects, ...reporters.map((name) => `--reporter=${name}`)]
    if (workers !== undefined) args.push(`--maxWorkers=${workers}`)
    const wanted = [...args, `--outputFile.json=${report}`, ...filters]
    const { exitCode, output } = await runCommand('vitest', wanted, { show })
    const written = readIfThere(report)
    const tally = judgeStep(countVitest(written), exitCode)
    return { tally, failures: tally.failed > 0 ? tellFailures(written, output) : [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
