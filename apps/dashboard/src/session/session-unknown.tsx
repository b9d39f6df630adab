import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { ErrorNotice } from '../parts/notice.tsx'
import { EntryFrame } from './entry-frame.tsx'
import type { Session } from './log-in.ts'
import { readSession } from './read-session.ts'

const againMs = 5_000

/**
 * In place of everything, while the service cannot say who is signed in: that is no reason to sign in again. It is asked
 * every few seconds, and at once by the button.
 */
export function SessionUnknown({
  problem,
  onRead,
}: {
  readonly problem: unknown
  onRead(found: Session | null): void
}): ReactNode {
  const [latest, setLatest] = useState(problem)
  const ask = useCallback(() => void readSession().then(onRead, setLatest), [onRead])
  useEffect(() => {
    const timer = setInterval(ask, againMs)
    return () => clearInterval(timer)
  }, [ask])
  return (
    <EntryFrame isBare>
      <ErrorNotice error={latest} retry={ask} />
    </EntryFrame>
  )
}
