import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { ErrorNotice } from '../parts/notice.tsx'
import { EntryFrame } from './entry-frame.tsx'
import type { Session } from './log-in.ts'
import { readSession } from './read-session.ts'

const againMs = 5_000

/** Shown while the service cannot report the session, which may still be valid. Retries every 5 seconds. */
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
