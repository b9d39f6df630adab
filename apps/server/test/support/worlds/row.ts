import { test } from 'vitest'
import { cardProvider, type RowId } from '../../../../../scripts/coverage/rows.ts'

/**
 * The test of one row of the contract. `docs/contract-coverage.md` is written from these calls, which are read,
 * not run: id and name are plain texts.
 *
 * @param name - What is guaranteed; with the id before it, the test's name.
 */
export function row(id: RowId, name: string, check: () => Promise<unknown>): void {
  test(`${id}: ${name}`, check)
}

/**
 * The test of a row whose sentence waits for a part that is not built: what is there so far is held, the row itself
 * stays open.
 *
 * @param waitsFor - The part, as it goes on after "waits for".
 * @param name - What is guaranteed so far.
 */
export function waitingRow(id: RowId, waitsFor: string, name: string, check: () => Promise<unknown>): void {
  test.todo(`${id}: waits for ${waitsFor}`)
  test(`${id}, so far: ${name}`, check)
}

/** The test of a row that waits for the card provider. */
export function cardRow(id: RowId, name: string, check: () => Promise<unknown>): void {
  waitingRow(id, cardProvider, name, check)
}
