const changed = 'sluice:webhook-tried'
const keyOf = (merchant: string) => `${changed}:${merchant.toLowerCase()}`

/** Records in this browser that an endpoint passed every check. The service does not store test results. */
export function keepWebhookTried(merchant: string): void {
  try {
    localStorage.setItem(keyOf(merchant), '1')
    dispatchEvent(new Event(changed))
  } catch {
    // Storage is full or blocked. The first delivered webhook completes the step instead.
  }
}

export function wasWebhookTried(merchant: string): boolean {
  try {
    return localStorage.getItem(keyOf(merchant)) !== null
  } catch {
    return false
  }
}

export function watchWebhookTried(listener: () => void): () => void {
  addEventListener(changed, listener)
  return () => removeEventListener(changed, listener)
}
