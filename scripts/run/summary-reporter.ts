import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { type Counts, emptyCounts } from './count-tests.ts'
import { formatDuration } from './run-command.ts'

/** Environment variable with the path of the file to which {@link SummaryReporter} writes its counts. */
export const countsFileName = 'TEST_TALLY_FILE'

const slowestCount = 10

declare module 'vitest' {
  interface TaskMeta {
    /** CPU time that a test file has used in its worker, in milliseconds. */
    cpuMs?: number
  }
}

type Suite = Counts & { readonly name: string; readonly files: number; readonly cpuMs: number }

/** Prints the counts and the CPU time of each suite, and the slowest files, at the end of a run. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const suites = [...Map.groupBy(modules, ({ project }) => project.name)].map(([name, its]) =>
      countSuite(name, its),
    )
    const lines = suites.map(
      ({ name, files, cpuMs, ...counts }) =>
        `${name.padEnd(9)} ${describeCounts(counts)} in ${files} files, ${formatDuration(cpuMs)} of CPU in the workers`,
    )
    const slowest = modules
      .map((module) => ({ module, ms: module.diagnostic().duration }))
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, slowestCount)
      .map(({ module, ms }) => `  ${formatDuration(ms).padStart(12)}  ${module.relativeModuleId}`)
    console.log(`\n${lines.join('\n')}\n\nSlowest files\n${slowest.join('\n')}\n`)
    const file = process.env[countsFileName]
    if (file === undefined) return
    const total = suites.reduce<Counts>(
      (sum, suite) => ({
        passed: sum.passed + suite.passed,
        failed: sum.failed + suite.failed,
        skipped: sum.skipped + suite.skipped,
      }),
      { ...emptyCounts, failed: errors.length },
    )
    writeFileSync(file, JSON.stringify(total))
  }
}

function countSuite(name: string, modules: readonly TestModule[]): Suite {
  const count = (state: 'passed' | 'failed' | 'skipped') =>
    modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0)
  // A file that fails to load has no tests, but counts as a failure.
  const broken = modules.filter(
    (module) => module.state() === 'failed' && [...module.children.allTests('failed')].length === 0,
  )
  return {
    name,
    files: modules.length,
    cpuMs: modules.reduce((sum, module) => sum + (module.meta().cpuMs ?? 0), 0),
    passed: count('passed'),
    failed: count('failed') + broken.length,
    skipped: count('skipped'),
  }
}

/** Formats counts: `12 passed, 0 failed`. */
export function describeCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
