import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { api, carryCsrfToken } from '../api/client.ts'
import type { Session } from './log-in.ts'
import { SessionContext, type SessionState } from './session-context.ts'

/** Waits for who is signed in at `first`, and notices when the session ends under the app. */
export function SessionProvider({
  first,
  children,
}: {
  readonly first: Promise<Session | null>
  readonly children: ReactNode
}): ReactNode {
  const queries = useQueryClient()
  const [session, setSession] = useState<Session | null | undefined>(undefined)
  const [hasEnded, setEnded] = useState(false)
  carryCsrfToken(session?.csrfToken)

  useEffect(() => {
    void first.then(setSession)
    const end = (error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 401) return
      setSession((before) => {
        if (before) setEnded(true)
        return null
      })
    }
    const stopReads = queries.getQueryCache().subscribe(({ query }) => end(query.state.error))
    const stopWrites = queries.getMutationCache().subscribe(({ mutation }) => end(mutation?.state.error))
    return () => {
      stopReads()
      stopWrites()
    }
  }, [queries, first])

  const state = useMemo<SessionState>(
    () => ({
      session,
      hasEnded,
      signedIn(opened) {
        queries.clear()
        setEnded(false)
        setSession(opened)
      },
      renewed(opened) {
        // The next write goes out before this is drawn.
        carryCsrfToken(opened.csrfToken)
        setSession(opened)
      },
      async signOut() {
        await api.POST('/api/auth/logout').catch(() => {})
        queries.clear()
        setEnded(false)
        setSession(null)
      },
    }),
    [session, hasEnded, queries],
  )
  return <SessionContext value={state}>{children}</SessionContext>
}
