const key = 'sluice:webhook-tried'

/** Remembers in this browser that a receiver has passed every check: the service keeps no record of tests. */
export function keepWebhookTried(): void {
  try {
    localStorage.setItem(key, '1')
    dispatchEvent(new Event(key))
  } catch {
    // Storage is full or forbidden: then the first webhook that is delivered ticks the step off.
  }
}

/** Whether a receiver has passed every check in this browser. */
export function wasWebhookTried(): boolean {
  try {
    return localStorage.getItem(key) !== null
  } catch {
    return false
  }
}

/** Calls back when that changes in this page. */
export function watchWebhookTried(listener: () => void): () => void {
  addEventListener(key, listener)
  return () => removeEventListener(key, listener)
}
