import { Navigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { ErrorNotice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useSession } from '../../session/session-context.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The merchant to act for, or null for the platform. */
    merchant?: string | null
  }
}

/**
 * Switches to another merchant on a separate screen, so that no screen mixes the data of two merchants.
 *
 * The merchant comes from the history state, which a link cannot set. If there is none, redirects to the
 * start screen.
 */
export function Switch(): ReactNode {
  const { session, switchTo } = useSession()
  const wanted = useRouterState({ select: ({ location }) => location.state.merchant })
  const isThere = wanted === undefined || session?.merchantWallet === wanted
  const [problem, setProblem] = useState<unknown>()
  const change = useCallback(() => {
    setProblem(undefined)
    if (wanted !== undefined) switchTo(wanted).catch(setProblem)
  }, [wanted, switchTo])
  useEffect(() => {
    if (!isThere) change()
  }, [isThere, change])
  if (isThere) return <Navigate to="/" replace />
  return (
    <>
      <PageHeader title={text('app.shops.switching')} />
      {problem === undefined ? (
        <Skeleton rows={3} />
      ) : (
        <>
          <BackLink to="/">{text('app.not-found.link')}</BackLink>
          <ErrorNotice error={problem} retry={change} />
        </>
      )}
    </>
  )
}
