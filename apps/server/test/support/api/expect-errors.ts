import { type MemberRole, type Scope, scopes } from '@sluice/protocol/api/access.ts'
import { expect } from 'vitest'
import { type ApiResponse, type CallOptions, callApi } from './call-api.ts'
import { apiErrorOf, type MerchantApi } from './merchant-api.ts'
import { logInAs } from './sessions.ts'
import { startApi } from './start-api.ts'

export type Endpoint = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly table: string
}

/**
 * Expects the errors of every developer endpoint: missing or wrong key, missing scope, rate limit, internal
 * error.
 */
export async function expectKeyErrors(context: MerchantApi, endpoint: Endpoint, scope: Scope): Promise<void> {
  const { method, path, body } = endpoint
  const call = (options: CallOptions) => context.call(method, path, { body, ...options })
  expectError(await call({}), 401, 'unauthorized')
  expectError(await call({ key: `sk_test_${'a'.repeat(49)}` }), 401, 'unauthorized')
  const { key } = await context.addMerchant({ scopes: scopes.filter((each) => each !== scope) })
  expectError(await call({ key }), 403, 'forbidden')
  const allowed = await context.addMerchant({ scopes: [scope] })
  const { body: response } = await call({ key: allowed.key })
  expect(['unauthorized', 'forbidden', 'rate_limited', 'failed']).not.toContain(response.error)
  await expectRateLimit(context, endpoint, { key: allowed.key })
  await expectDefect(context, endpoint, { key: allowed.key })
}

/**
 * Expects the errors of every member endpoint: no session, an API key, a forged request, wrong role, rate
 * limit, internal error.
 */
export async function expectSessionErrors(
  context: MerchantApi,
  endpoint: Endpoint,
  role: MemberRole,
): Promise<void> {
  const { method, path, body } = endpoint
  const call = (options: CallOptions) => context.call(method, path, { body, ...options })
  const nobody = await call({})
  expectError(nobody, 401, 'unauthorized')
  expect(nobody.body.message).toContain('JWT authentication failed')
  expectError(await call({ key: context.merchant.key }), 403, 'forbidden')
  const session = await context.logInOwner()
  const forged = { ...session, csrfToken: `${session.csrfToken.slice(0, -1)}~` }
  expectError(await call({ session: forged }), 403, 'forbidden')
  expectError(await call({ session, headers: { origin: 'https://evil.example.com' } }), 403, 'forbidden')
  const other = await logInAs(context, context.merchant.wallet, role)
  expectError(await call({ session: other }), 403, 'forbidden')
  await expectRateLimit(context, endpoint, { session })
  await expectDefect(context, endpoint, { session })
}

export async function expectRateLimit(
  context: MerchantApi,
  { method, path, body }: Endpoint,
  options: CallOptions,
): Promise<void> {
  // At this scale each limit is one request.
  const { url, stop } = await startApi({ beside: context, rateLimitScale: 0.001 })
  try {
    const first = await callApi(url, method, path, { body, ...options })
    expect(first.status).not.toBe(429)
    expect(first.headers.get('x-ratelimit-limit')).toBe('1')
    const response = await callApi(url, method, path, { body, ...options })
    expectError(response, 429, 'rate_limited')
    expect(response.body.message).toContain('Rate limit exceeded')
    expect(response.body.resetAt).toBeGreaterThan(context.clock.now())
    expect(response.headers.get('x-ratelimit-reset')).toBe(String(response.body.resetAt))
  } finally {
    await stop()
  }
}

/** Expects 500 `failed` with a correlation id and without internals. */
export async function expectDefect(
  context: MerchantApi,
  { method, path, body, table }: Endpoint,
  options: CallOptions,
): Promise<void> {
  await withoutTable(context, table, async () => {
    const response = await context.call(method, path, { body, ...options })
    expectError(response, 500, 'failed')
    expect(response.body.correlationId).toBe(response.headers.get('x-correlation-id'))
    expect(response.text).not.toMatch(/hidden_away|does not exist|SELECT /)
  })
}

export async function withoutTable(
  { needs: { db } }: Pick<MerchantApi, 'needs'>,
  table: string,
  work: () => Promise<void>,
): Promise<void> {
  await db.run({ name: '', text: `ALTER TABLE ${table} RENAME TO hidden_away` })
  try {
    await work()
  } finally {
    await db.run({ name: '', text: `ALTER TABLE hidden_away RENAME TO ${table}` })
  }
}

export function expectError(response: ApiResponse, status: number, code: string, what?: string): void {
  expect(apiErrorOf(response), what).toEqual([status, code])
  expect(response.body.message, what).toMatch(/\w+ \w+/)
}

/**
 * Returns rows of `test.each`: a field's path, and a body in which only this field is invalid.
 *
 * @param wrong - Invalid values by path, such as `theme/fontFamily`.
 */
export function wrongFields(wrong: Readonly<Record<string, readonly unknown[]>>): [string, object][] {
  return Object.entries(wrong).flatMap(([path, values]) =>
    values.map((value): [string, object] => [path, bodyWith(path, value)]),
  )
}

function bodyWith(path: string, value: unknown): object {
  return path.split('/').reduceRight((inner: unknown, name) => ({ [name]: inner }), value) as object
}
