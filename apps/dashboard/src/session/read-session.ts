import { ApiError } from '../api/api-error.ts'
import { api, contentOf } from '../api/client.ts'
import type { Session } from './log-in.ts'

/**
 * Returns the session, or `null` if the user is signed out.
 *
 * @throws {ApiError} if the service does not respond normally. The session may still be valid.
 */
export async function readSession(): Promise<Session | null> {
  try {
    return await contentOf(api.GET('/api/auth/session'))
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}
