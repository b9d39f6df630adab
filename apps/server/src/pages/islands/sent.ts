/** A payment this browser sent, kept until the server has seen it: a reload must not offer to pay twice. */
export type Sent = {
  readonly hash: string
  readonly walletId: string
  /** What the server had seen arrive when it was sent. */
  readonly received: string
}

const keyOf = (receipt: string) => `sluice:sent:${receipt}`

/** Keeps it for this tab. */
export function keepSent(receipt: string, sent: Sent): void {
  try {
    sessionStorage.setItem(keyOf(receipt), JSON.stringify(sent))
  } catch {
    // Storage is full or forbidden: then a reload shows what the server knows.
  }
}

/** What was sent, unless the server has seen it since. */
export function findSent(receipt: string, received: string): Sent | undefined {
  try {
    const sent = JSON.parse(sessionStorage.getItem(keyOf(receipt)) ?? 'null') as Sent | null
    return sent?.received === received ? sent : undefined
  } catch {
    return undefined
  }
}

/** Forgets it. */
export function dropSent(receipt: string): void {
  try {
    sessionStorage.removeItem(keyOf(receipt))
  } catch {
    // As above.
  }
}
