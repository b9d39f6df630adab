const path = '/api/events/stream'
/** Every change that merchants are told of; the service names its events by it. */
const changed = 'receipt.status_updated'
/** After the service has ended the stream: too many of them, or no right to it. */
const askAgainMs = 60_000
/** Several changes at once are read once. */
const gatherMs = 150

/**
 * Listens to the merchant's event stream until the returned function is called. The browser itself comes back after a
 * lost connection, with the number of the last event.
 */
export function listenToEvents({
  onState,
  onEvent,
}: {
  onState(isTold: boolean): void
  onEvent(): void
}): () => void {
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let gathered: ReturnType<typeof setTimeout> | undefined
  const tell = () => {
    clearTimeout(gathered)
    gathered = setTimeout(onEvent, gatherMs)
  }
  const open = () => {
    source = new EventSource(path)
    source.addEventListener('ready', () => onState(true))
    source.addEventListener('recovered', tell)
    source.addEventListener(changed, tell)
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
