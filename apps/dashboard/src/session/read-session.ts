import { ApiError } from '../api/api-error.ts'
import { api, contentOf } from '../api/client.ts'
import type { Session } from './log-in.ts'

/**
 * Who is signed in; `null` where nobody is.
 *
 * @throws {ApiError} where nobody can be asked: whoever was signed in still is.
 */
export async function readSession(): Promise<Session | null> {
  try {
    return await contentOf(api.GET('/api/auth/session'))
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}
