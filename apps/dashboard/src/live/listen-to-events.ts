const path = '/api/events/stream'
const changed = 'receipt.status_updated'
/** Delay before reconnecting after the service closed the stream (limit reached or no permission). */
const askAgainMs = 60_000
/** Delay that merges a burst of events into one refresh. */
const gatherMs = 150

/**
 * Listens to the merchant's event stream until the returned function is called.
 *
 * After a lost connection, the browser reconnects automatically and sends the last event's ID.
 */
export function listenToEvents({
  onState,
  onEvent,
}: {
  onState(isReported: boolean): void
  onEvent(): void
}): () => void {
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let gathered: ReturnType<typeof setTimeout> | undefined
  const report = () => {
    clearTimeout(gathered)
    gathered = setTimeout(onEvent, gatherMs)
  }
  const open = () => {
    source = new EventSource(path)
    source.addEventListener('ready', () => onState(true))
    source.addEventListener('recovered', report)
    source.addEventListener(changed, report)
    source.addEventListener('error', () => {
      onState(false)
      if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, askAgainMs)
    })
  }
  open()
  return () => {
    clearTimeout(again)
    clearTimeout(gathered)
    source?.close()
    onState(false)
  }
}
