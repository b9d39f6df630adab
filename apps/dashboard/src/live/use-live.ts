import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** How the app hears of changes: asking now and then, or not at all. */
export type LiveState = 'polling' | 'offline'

/** What changes on the server without anybody here doing it. */
const changing = ['receipts', 'unmatched', 'deliveries', 'orders', 'products', 'split'] as const

const pollMs = 10_000

/**
 * Keeps what is on the screen as the server has it: it is read again every ten seconds, while somebody looks.
 */
export function useLive(): LiveState {
  const queries = useQueryClient()
  const isOnline = useOnline()
  useEffect(() => {
    if (!isOnline) return
    const look = () => {
      if (document.visibilityState === 'visible') void refresh(queries)
    }
    const timer = setInterval(look, pollMs)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [isOnline, queries])
  return isOnline ? 'polling' : 'offline'
}

function useOnline(): boolean {
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
