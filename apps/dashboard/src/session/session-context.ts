import { createContext, useContext } from 'react'
import type { Session } from './log-in.ts'

/** Who is signed in, and how that changes. */
export type SessionState = {
  /** `undefined` while it is being read; null: nobody. */
  readonly session: Session | null | undefined
  /** Why nobody is signed in any more, where it was not their wish. */
  readonly hasEnded: boolean
  signedIn(session: Session): void
  /** The same person has logged in again: everything that was read stays. */
  renewed(session: Session): void
  /**
   * Acts for another merchant from now on; null: the platform. Nothing that was read or typed before stays.
   *
   * @throws {ApiError} where the service refuses: then everything is as it was.
   */
  switchTo(merchantWallet: string | null): Promise<void>
  signOut(): Promise<void>
}

/** Holds the {@link SessionState} of the app. */
export const SessionContext = createContext<SessionState | undefined>(undefined)

/** The session of the app. */
export function useSession(): SessionState {
  const state = useContext(SessionContext)
  if (!state) throw new Error('there is no session provider above')
  return state
}
