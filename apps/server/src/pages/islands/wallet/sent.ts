import type { Place } from './follow-transaction.ts'
import type { SentCall } from './payment.ts'

/** A payment sent by this browser, stored until the server detects it, so that a reload cannot pay twice. */
export type Sent = SentCall & {
  readonly walletId: string
  readonly walletName: string
  readonly received: string
  readonly place?: Place
  /** Unix milliseconds according to this machine's clock. */
  readonly at: number
}

const prefix = 'sluice:sent:'
const keptForMs = 24 * 60 * 60 * 1_000

/** Stores the payment in `localStorage`, which new tabs share. Deletes entries older than a day. */
export function keepSent(receipt: string, sent: Sent): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(prefix) && !isFresh(readSent(key))) localStorage.removeItem(key)
    localStorage.setItem(prefix + receipt, JSON.stringify(sent))
  } catch {
    // Storage can be full or blocked: after a reload, the page then shows only the server's state.
  }
}

export function findSent(receipt: string, received: string): Sent | undefined {
  const sent = readSent(prefix + receipt)
  return sent && isFresh(sent) && sent.received === received ? sent : undefined
}

export function dropSent(receipt: string): void {
  try {
    localStorage.removeItem(prefix + receipt)
  } catch {}
}

function readSent(key: string): Sent | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as Sent | null) ?? undefined
  } catch {
    return undefined
  }
}

function isFresh(sent: Sent | undefined): boolean {
  return sent !== undefined && Date.now() - sent.at < keptForMs
}
