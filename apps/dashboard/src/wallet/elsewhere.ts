import { useSyncExternalStore } from 'react'
import type { BrowserWallet } from './provider.ts'

let connected: readonly BrowserWallet[] = []
const listeners = new Set<() => void>()

/** Adds a connected wallet outside this browser, which stays available until the page is closed. */
export function keepElsewhere(wallet: BrowserWallet): void {
  connected = [...connected.filter(({ id }) => id !== wallet.id), wallet]
  for (const listener of listeners) listener()
}

export function useElsewhere(): readonly BrowserWallet[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => connected,
  )
}
