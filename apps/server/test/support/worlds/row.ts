import { test } from 'vitest'
import type { RowId } from '../../../../../scripts/coverage/rows.ts'

/**
 * The test of one row of the contract. `docs/contract-coverage.md` is written from these calls, which are read,
 * not run: id and name are plain texts.
 *
 * @param name - What is guaranteed; with the id before it, the test's name.
 */
export function row(id: RowId, name: string, check: () => Promise<unknown>): void {
  test(`${id}: ${name}`, check)
}
