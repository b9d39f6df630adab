import createClient, { type Middleware } from 'openapi-fetch'
import { ApiError } from './api-error.ts'
import type { paths } from './schema.d.ts'

let csrfToken: string | undefined

/** What every write carries from now on; none after a logout. */
export function carryCsrfToken(token: string | undefined): void {
  csrfToken = token
}

/** Every write proves that a page of ours asks; every bad answer is thrown. */
const conventions: Middleware = {
  onRequest({ request }) {
    if (csrfToken !== undefined && request.method !== 'GET') request.headers.set('x-csrf-token', csrfToken)
    return request
  },
  async onResponse({ response }) {
    if (response.ok) return
    const body: unknown = await response.json().catch(() => undefined)
    throw new ApiError(response.status, body, response.headers.get('x-correlation-id') ?? undefined)
  },
  onError: () => new ApiError(0, undefined, undefined),
}

/** The service's API, typed by its own document. The session is in a cookie that scripts cannot read. */
export const api = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' })
api.use(conventions)

/**
 * Asks the service for a sign of life.
 *
 * @throws {ApiError} where none comes.
 */
export async function askAlive(): Promise<void> {
  await api.GET('/healthz')
}

/** The content of a good answer. */
export async function contentOf<T>(response: Promise<{ data?: T }>): Promise<T> {
  const { data } = await response
  return data as T
}
