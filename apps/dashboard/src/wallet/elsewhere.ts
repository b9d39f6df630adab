import { useSyncExternalStore } from 'react'
import type { BrowserWallet } from './provider.ts'

let connected: readonly BrowserWallet[] = []
const listeners = new Set<() => void>()

/** Keeps a wallet outside this browser that has been connected, for as long as the page lives. */
export function keepElsewhere(wallet: BrowserWallet): void {
  connected = [...connected.filter(({ id }) => id !== wallet.id), wallet]
  for (const listener of listeners) listener()
}

/** The wallets outside this browser that are connected now. */
export function useElsewhere(): readonly BrowserWallet[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => connected,
  )
}
