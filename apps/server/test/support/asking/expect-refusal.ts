import { expect } from 'vitest'

/** That an answer refuses with this status and this code. `about` is shown where it does not. */
export function expectRefusal(
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
