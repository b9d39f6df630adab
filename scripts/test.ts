import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addTallies, countForge, countVitest, emptyTally, judgeStep, type Tally } from './run/count-tests.ts'
import { formatDuration, runCommand } from './run/run-command.ts'

type Suite = { readonly what: string; readonly run: (filters: readonly string[]) => Promise<Tally> }

const suites: Readonly<Record<string, Suite>> = {
  contracts: { what: 'the contracts: tests, generated ABI, gas', run: runContracts },
  unit: { what: 'unit tests, beside the code they test', run: (filters) => runVitest('unit', filters) },
  server: {
    what: 'the API and complete flows, with real components',
    run: (filters) => runVitest('server*', filters),
  },
  docs: { what: 'the guides and snippets, run as they are', run: (filters) => runVitest('docs', filters) },
  browser: { what: 'the pages in Chromium', run: (filters) => runVitest('browser', filters) },
}

const help = `Usage: npm test [-- suite [filter…]]

Runs every suite one after another, or one of them:

${Object.entries(suites)
  .map(([name, suite]) => `  ${name.padEnd(9)} ${suite.what}`)
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
  await runSuites(first === undefined ? Object.keys(suites) : [first])
}

async function runSuites(names: readonly string[]): Promise<void> {
  const startedAt = Date.now()
  const lines: string[] = []
  let total = emptyTally
  for (const name of names) {
    const suiteStartedAt = Date.now()
    console.log(`\n━━ ${name}: ${suites[name]?.what}\n`)
    const tally = (await suites[name]?.run(filters)) ?? emptyTally
    total = addTallies(total, tally)
    const time = formatDuration(Date.now() - suiteStartedAt)
    const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : ''
    lines.push(`${name.padEnd(9)} ${tally.passed} passed, ${tally.failed} failed${skipped} in ${time}`)
  }
  console.log(`\n━━ all in ${formatDuration(Date.now() - startedAt)}\n\n${lines.join('\n')}\n`)
  console.log(`${total.passed} passed, ${total.failed} failed`)
  if (total.failed > 0) process.exitCode = 1
}

/** The contracts' own tests, then three gates that count as one test each. */
async function runContracts(): Promise<Tally> {
  const tests = await runCommand('npm', ['test', '-w', '@sluice/contracts'], { isShown: true })
  let tally = judgeStep(countForge(tests.output), tests.exitCode)
  const gates = [
    ['contracts/tools/write-abi.ts', '--check'],
    ['contracts/tools/write-deployments.ts', '--check'],
    ['contracts/gas/gas.ts'],
  ]
  for (const gate of gates) {
    console.log(`\n─ node ${gate.join(' ')}`)
    const { exitCode } = await runCommand('node', gate, { isShown: true })
    const isFine = exitCode === 0
    tally = addTallies(tally, { passed: isFine ? 1 : 0, failed: isFine ? 0 : 1, skipped: 0 })
  }
  return tally
}

async function runVitest(projects: string, filters: readonly string[]): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const report = join(folder, 'report.json')
  try {
    const reporters = ['default', 'json', './scripts/run/name-second-tries.ts']
    const args = ['run', '--project', projects, ...reporters.map((name) => `--reporter=${name}`)]
    const { exitCode } = await runCommand('vitest', [...args, `--outputFile.json=${report}`, ...filters], {
      isShown: true,
    })
    return judgeStep(countVitest(readIfThere(report)), exitCode)
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
