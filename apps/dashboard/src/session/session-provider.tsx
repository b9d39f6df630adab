import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { api, carryCsrfToken, contentOf } from '../api/client.ts'
import { keepLastMerchant } from './last-merchant.ts'
import type { Session } from './log-in.ts'
import { type Acting, type OtherTabs, openOtherTabs } from './other-tabs.ts'
import { readSession } from './read-session.ts'
import { SessionContext, type SessionState } from './session-context.ts'
import { SessionUnknown } from './session-unknown.tsx'

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
  const [problem, setProblem] = useState<unknown>()
  /** Number of merchant switches. A new value remounts the whole app. */
  const [turn, setTurn] = useState(0)
  const isSwitching = useRef(false)
  const now = useRef<Session | null | undefined>(undefined)
  const tabs = useRef<OtherTabs>(undefined)
  now.current = session
  carryCsrfToken(session?.csrfToken)

  useEffect(() => {
    first.then(setSession, setProblem)
    const end = (error: unknown) => {
      // During a switch, requests for the previous merchant fail with 401.
      if (!(error instanceof ApiError) || error.status !== 401 || isSwitching.current) return
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

  useEffect(() => {
    const follow = async (other: Acting) => {
      const isSame = actsAs(now.current, other)
      if (!isSame) {
        forget(queries)
        setSession(undefined)
      }
      const opened = await readSession()
      if (!isSame) setTurn((before) => before + 1)
      setSession(opened)
    }
    tabs.current = openOtherTabs((other) => void follow(other).catch(setProblem))
    return () => tabs.current?.close()
  }, [queries])

  const state = useMemo<SessionState>(
    () => ({
      session,
      hasEnded,
      signedIn(opened) {
        forget(queries)
        setEnded(false)
        setSession(opened)
        tabs.current?.report(opened)
      },
      renewed(opened) {
        // The next write may be sent before the next render.
        carryCsrfToken(opened.csrfToken)
        setSession(opened)
        tabs.current?.report(opened)
      },
      async switchTo(merchantWallet) {
        isSwitching.current = true
        try {
          const opened = await contentOf(api.POST('/api/auth/merchant', { body: { merchantWallet } }))
          forget(queries)
          keepLastMerchant(opened)
          setSession(opened)
          setTurn((before) => before + 1)
          tabs.current?.report(opened)
        } finally {
          isSwitching.current = false
        }
      },
      async signOut() {
        await api.POST('/api/auth/logout').catch(() => {})
        forget(queries)
        setEnded(false)
        setSession(null)
      },
    }),
    [session, hasEnded, queries],
  )
  return (
    <SessionContext value={state}>
      {problem === undefined ? (
        <Fragment key={turn}>{children}</Fragment>
      ) : (
        <SessionUnknown
          problem={problem}
          onRead={(found) => {
            setProblem(undefined)
            setSession(found)
          }}
        />
      )}
    </SessionContext>
  )
}

/** Clears the cache. Cancels running reads, so that their responses cannot fill it again. */
function forget(queries: QueryClient): void {
  void queries.cancelQueries()
  queries.clear()
}

function actsAs(session: Session | null | undefined, { wallet, merchantWallet }: Acting): boolean {
  return session?.wallet === wallet && session.merchantWallet === merchantWallet
}
