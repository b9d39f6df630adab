const changed = 'sluice:webhook-tried'
const keyOf = (merchant: string) => `${changed}:${merchant.toLowerCase()}`

/** Remembers in this browser that a merchant's receiver has passed every check: the service keeps no record of tests. */
export function keepWebhookTried(merchant: string): void {
  try {
    localStorage.setItem(keyOf(merchant), '1')
    dispatchEvent(new Event(changed))
  } catch {
    // Storage is full or forbidden: then the first webhook that is delivered ticks the step off.
  }
}

/** Whether a receiver of the merchant has passed every check in this browser. */
export function wasWebhookTried(merchant: string): boolean {
  try {
    return localStorage.getItem(keyOf(merchant)) !== null
  } catch {
    return false
  }
}

/** Calls back when that changes in this page. */
export function watchWebhookTried(listener: () => void): () => void {
  addEventListener(changed, listener)
  return () => removeEventListener(changed, listener)
}
