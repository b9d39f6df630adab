import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSession } from '../session/session-context.ts'
import { readers } from '../shell/sections.ts'
import { listenToEvents } from './listen-to-events.ts'

export type LiveState = 'live' | 'polling' | 'offline'

/** Query keys whose data can change without a write from this browser. */
const changing = ['receipts', 'unmatched', 'deliveries', 'orders', 'products', 'split'] as const

const pollMs = 10_000
/** Poll interval while the stream is open. The stream does not report pending or unmatched payments. */
const slowPollMs = 30_000

/**
 * Refreshes the visible data when the stream delivers events, and polls while the page is visible.
 *
 * Polls more often if the stream is closed or the role may not read it.
 */
export function useLive(): LiveState {
  const queries = useQueryClient()
  const [isReported, setReported] = useState(false)
  const isOnline = useOnline()
  const role = useSession().session?.role
  const mayListen = role !== undefined && readers.includes(role)
  useEffect(() => {
    if (!isOnline || !mayListen) return
    return listenToEvents({ onState: setReported, onEvent: () => void refresh(queries) })
  }, [isOnline, mayListen, queries])
  useEffect(() => {
    if (!isOnline) return
    const look = () => {
      if (document.visibilityState === 'visible') void refresh(queries)
    }
    const timer = setInterval(look, isReported ? slowPollMs : pollMs)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [isOnline, isReported, queries])
  if (!isOnline) return 'offline'
  return isReported ? 'live' : 'polling'
}

export function useOnline(): boolean {
  const [isOnline, setOnline] = useState(() => navigator.onLine)
  useEffect(() => {
    const hear = () => setOnline(navigator.onLine)
    addEventListener('online', hear)
    addEventListener('offline', hear)
    return () => {
      removeEventListener('online', hear)
      removeEventListener('offline', hear)
    }
  }, [])
  return isOnline
}

async function refresh(queries: QueryClient): Promise<void> {
  await Promise.all(changing.map((key) => queries.invalidateQueries({ queryKey: [key] })))
}
