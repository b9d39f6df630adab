import { expect, test } from 'vitest'

/**
 * Defines the test of one row of the contract. A script reads these calls for
 * `docs/reference/contract-coverage.md`, so `id` and `name` must be string literals.
 *
 * @param name - The guarantee. `id` and `name` form the test's name.
 */
export function row(id: string, name: string, check: () => Promise<unknown>): void {
  test(`${id}: ${name}`, check)
}

export function expectApiError(
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
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
