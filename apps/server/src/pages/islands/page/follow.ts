import type { LiveStatus } from '../../live/island-data.ts'

const pollMs = 2_000
/** The first time after the events broke off: whoever cannot be reached is to be known of within five seconds. */
const firstPollMs = 500

/**
 * Follows a checkout: by server-sent events, and by asking where those do not come through.
 * `onError` says whether the status can be read at all.
 */
export function follow(
  paths: { readonly events: string; readonly status: string },
  on: { status(status: LiveStatus): void; trouble(isPageError: boolean): void },
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isStopped = false

  const poll = async () => {
    clearTimeout(timer)
    timer = undefined
    try {
      const response = await fetch(paths.status, { signal: AbortSignal.timeout(8_000) })
      if (!response.ok) throw new Error(String(response.status))
      const status = (await response.json()) as LiveStatus
      failures = 0
      if (isStopped) return
      on.trouble(false)
      on.status(status)
    } catch {
      failures++
      if (failures > 1 || !navigator.onLine) on.trouble(true)
    }
    if (!isStopped) schedule()
  }
  const schedule = (ms = pollMs) => {
    timer ??= setTimeout(poll, ms)
  }
  const rest = () => {
    clearTimeout(timer)
    timer = undefined
    failures = 0
  }

  const source = new EventSource(paths.events)
  source.onmessage = (message) => {
    rest()
    on.trouble(false)
    // It may have been on its way when the connection went, and be the last.
    if (!navigator.onLine) schedule()
    on.status(JSON.parse(message.data as string) as LiveStatus)
  }
  source.addEventListener('trouble', () => on.trouble(true))
  source.onerror = () => schedule(firstPollMs)
  const wentOffline = () => {
    on.trouble(true)
    // A browser without any network still reaches a service on its own machine: asking tells.
    schedule()
  }
  const askNow = () => {
    if (document.visibilityState === 'visible') void poll()
  }
  addEventListener('offline', wentOffline)
  addEventListener('online', askNow)
  if (!navigator.onLine) schedule()
  document.addEventListener('visibilitychange', askNow)
  return () => {
    isStopped = true
    source.close()
    clearTimeout(timer)
    removeEventListener('offline', wentOffline)
    removeEventListener('online', askNow)
    document.removeEventListener('visibilitychange', askNow)
  }
}
