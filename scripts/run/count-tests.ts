import { stripVTControlCharacters } from 'node:util'

/** How many tests of a run passed and failed. */
export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** A tally of nothing. */
export const emptyCounts: Counts = { passed: 0, failed: 0, skipped: 0 }

/** Both together. */
export function addCounts(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/**
 * What a step comes to that ended with `exitCode`.
 *
 * A step that failed without a failed test of its own counts as one failure, so that the total never looks
 * better than the exit code. So does one in which no test ran, whatever its exit code: it did not compile, its
 * tally was not found, or every test was left out, and none of these says that anything works.
 */
export function evaluateStep(counted: Counts, exitCode: number): Counts {
  const { passed, failed } = counted
  return failed === 0 && (exitCode !== 0 || passed === 0) ? { ...counted, failed: 1 } : counted
}

/** The tally in forge's closing lines: `Ran 3 test suites …: 40 tests passed, 0 failed, 0 skipped (40 total tests)`. */
export function countForge(output: string): Counts {
  const plain = stripVTControlCharacters(output)
  const match = /(\d+) tests? passed, (\d+) failed, (\d+) skipped \(\d+ total tests?\)/.exec(plain)
  return match
    ? { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3]) }
    : emptyCounts
}
