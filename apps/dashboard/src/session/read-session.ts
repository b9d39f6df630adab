import { api, contentOf } from '../api/client.ts'
import type { Session } from './log-in.ts'

/** Who is signed in; `null` where nobody is, or nobody can be asked. */
export function readSession(): Promise<Session | null> {
  return contentOf(api.GET('/api/auth/session')).catch(() => null)
}
