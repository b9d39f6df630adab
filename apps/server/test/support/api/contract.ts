import { expect, test } from 'vitest'

/**
 * The test of one row of the contract. These calls are read for `docs/reference/contract-coverage.md`, not
 * run: id and name are plain texts.
 *
 * @param name - What is guaranteed; with the id before it, the test's name.
 */
export function row(id: string, name: string, check: () => Promise<unknown>): void {
  test(`${id}: ${name}`, check)
}

/** Checks the status and the error code of a response. A failure shows `about`. */
export function expectApiError(
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  { status, body }: { readonly status: number; readonly body: any },
  expectedStatus: number,
  code: string,
  about?: string | number,
): void {
  expect([status, body?.error], about === undefined ? undefined : String(about)).toEqual([
    expectedStatus,
    code,
  ])
}
