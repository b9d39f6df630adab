import { createContext, useContext } from 'react'
import type { Session } from './log-in.ts'

export type SessionState = {
  /** `undefined` while the session loads, null if the user is signed out. */
  readonly session: Session | null | undefined
  /** True if the session ended without a sign-out. */
  readonly hasEnded: boolean
  signedIn(session: Session): void
  /** Stores the session after a repeated login. Keeps cached data. */
  renewed(session: Session): void
  /**
   * Switches to another merchant, or to the platform if null. Clears all cached and typed data.
   *
   * @throws {ApiError} if the service rejects the switch. In this case, nothing changes.
   */
  switchTo(merchantWallet: string | null): Promise<void>
  signOut(): Promise<void>
}

export const SessionContext = createContext<SessionState | undefined>(undefined)

export function useSession(): SessionState {
  const state = useContext(SessionContext)
  if (!state) throw new Error('there is no session provider above')
  return state
}
