import type { Place } from './wallet/follow-transaction.ts'
import type { SentCall } from './wallet/payment.ts'

/** A payment this browser sent, kept until the server has seen it: a reload must not offer to pay twice. */
export type Sent = SentCall & {
  readonly walletId: string
  readonly walletName: string
  /** What the server had seen arrive when it was sent. */
  readonly received: string
  /** Once the wallet's node has told. */
  readonly place?: Place
  /** Unix milliseconds of this machine. */
  readonly at: number
}

const prefix = 'sluice:sent:'
const keptForMs = 24 * 60 * 60 * 1_000

/** Keeps it, also for a tab that is opened later; what is older than a day goes. */
export function keepSent(receipt: string, sent: Sent): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(prefix) && !isFresh(readSent(key))) localStorage.removeItem(key)
    localStorage.setItem(prefix + receipt, JSON.stringify(sent))
  } catch {
    // Storage is full or forbidden: then a reload shows what the server knows.
  }
}

/** What was sent, unless the server has seen it since. */
export function findSent(receipt: string, received: string): Sent | undefined {
  const sent = readSent(prefix + receipt)
  return sent && isFresh(sent) && sent.received === received ? sent : undefined
}

/** Forgets it. */
export function dropSent(receipt: string): void {
  try {
    localStorage.removeItem(prefix + receipt)
  } catch {
    // As above.
  }
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
