import type { Fault } from '../source/fault.ts'
import type { RowTest } from './find-tests.ts'

/** Rows of the contract that belong together: id → what the contract says. */
export type Section = { readonly title: string; readonly rows: Readonly<Record<string, string>> }

const list = 'scripts/coverage/rows.ts'

/**
 * Where list and tests do not fit together. Rules:
 *
 * - `twice`: an id stands in two sections, or has two tests.
 * - `untested`: a row has no test.
 * - `unknown`: a test names no row.
 */
export function judgeCoverage(sections: readonly Section[], tests: readonly RowTest[]): Fault[] {
  const ids = sections.flatMap(({ rows }) => Object.keys(rows))
  const tested = new Map<string, RowTest>()
  const faults: Fault[] = []
  for (const id of ids.filter((each, i) => ids.indexOf(each) !== i))
    faults.push({ path: list, line: 1, rule: 'twice', message: `${id} stands in two sections` })
  for (const test of tests) {
    const { id, path, line } = test
    const other = tested.get(id)
    if (other)
      faults.push({ path, line, rule: 'twice', message: `${id} has a test in ${other.path}:${other.line}` })
    if (!ids.includes(id)) faults.push({ path, line, rule: 'unknown', message: `${id} is no row of ${list}` })
    tested.set(id, test)
  }
  for (const id of ids)
    if (!tested.has(id)) faults.push({ path: list, line: 1, rule: 'untested', message: `${id} has no test` })
  return faults
}
