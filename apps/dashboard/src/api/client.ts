import createClient, { type Middleware } from 'openapi-fetch'
import { ApiError } from './api-error.ts'
import type { paths } from './schema.d.ts'

let csrfToken: string | undefined

/** Sets the CSRF token of all later writes. Pass `undefined` after a logout. */
export function carryCsrfToken(token: string | undefined): void {
  csrfToken = token
}

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

/** Typed client of the API. Throws `ApiError` if the response is an error or missing. */
export const api = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' })
api.use(conventions)

/**
 * Checks that the service responds.
 *
 * @throws {ApiError} if the service does not respond.
 */
export async function askAlive(): Promise<void> {
  await api.GET('/healthz')
}

export async function contentOf<T>(response: Promise<{ data?: T }>): Promise<T> {
  const { data } = await response
  return data as T
}
