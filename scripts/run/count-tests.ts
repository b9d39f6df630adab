import { stripVTControlCharacters } from 'node:util'

/** Numbers of passed, failed and skipped tests in a run. */
export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }

export const emptyCounts: Counts = { passed: 0, failed: 0, skipped: 0 }

export function addCounts(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/**
 * Returns the counts of a step that ended with `exitCode`.
 *
 * A step that failed without a failed test counts as one failure, so that the total never looks better than
 * the exit code. A step in which no test ran also counts as one failure, whatever its exit code: it did not
 * compile, its counts were not found, or every test was skipped.
 */
export function evaluateStep(counted: Counts, exitCode: number): Counts {
  const { passed, failed } = counted
  return failed === 0 && (exitCode !== 0 || passed === 0) ? { ...counted, failed: 1 } : counted
}

/** Parses the counts in forge's last lines: `Ran 3 test suites …: 40 tests passed, 0 failed, 0 skipped`. */
export function countForge(output: string): Counts {
  const plain = stripVTControlCharacters(output)
  const match = /(\d+) tests? passed, (\d+) failed, (\d+) skipped \(\d+ total tests?\)/.exec(plain)
  return match
    ? { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3]) }
    : emptyCounts
}
