import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSession } from '../session/session-context.ts'
import { readers } from '../shell/sections.ts'
import { listenToEvents } from './listen-to-events.ts'

/** How the app hears of changes: told at once, asking now and then, or not at all. */
export type LiveState = 'live' | 'polling' | 'offline'

/** What changes on the server without anybody here doing it. */
const changing = ['receipts', 'unmatched', 'deliveries', 'orders', 'products', 'split'] as const

const pollMs = 10_000
/** Beside the stream, for what it does not tell: money on its way, payments that match nothing. */
const slowPollMs = 30_000

/**
 * Keeps what is on the screen as the server has it: the event stream tells of changes, polling stands in for it, and
 * nothing is asked while nobody looks. A role that may not read the events asks now and then.
 */
export function useLive(): LiveState {
  const queries = useQueryClient()
  const [isTold, setTold] = useState(false)
  const isOnline = useOnline()
  const role = useSession().session?.role
  const mayListen = role !== undefined && readers.includes(role)
  useEffect(() => {
    if (!isOnline || !mayListen) return
    return listenToEvents({ onState: setTold, onEvent: () => void refresh(queries) })
  }, [isOnline, mayListen, queries])
  useEffect(() => {
    if (!isOnline) return
    const look = () => {
      if (document.visibilityState === 'visible') void refresh(queries)
    }
    const timer = setInterval(look, isTold ? slowPollMs : pollMs)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [isOnline, isTold, queries])
  if (!isOnline) return 'offline'
  return isTold ? 'live' : 'polling'
}

/** Whether this device has a connection, as far as the browser knows. */
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

/** Reads again what is shown, and marks as old what is not. */
async function refresh(queries: QueryClient): Promise<void> {
  await Promise.all(changing.map((key) => queries.invalidateQueries({ queryKey: [key] })))
}
