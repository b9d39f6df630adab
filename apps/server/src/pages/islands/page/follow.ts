import type { LiveStatus } from '../../live/island-data.ts'

const pollMs = 1_500
/** A request pending for longer than this counts as failed until the response arrives. */
const patienceMs = 2_000
const pollLimitMs = 8_000

/**
 * Polls the status of a checkout. Reports an unreachable service within five seconds.
 *
 * @param on.trouble - Receives true while the status cannot be read.
 */
export function follow(
  path: string,
  on: { status(status: LiveStatus): void; trouble(isPageError: boolean): void },
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isAsking = false
  const ended = new AbortController()

  const trouble = (isPageError: boolean) => {
    if (!ended.signal.aborted) on.trouble(isPageError)
  }
  const schedule = (afterMs = pollMs) => {
    clearTimeout(timer)
    if (!ended.signal.aborted) timer = setTimeout(poll, afterMs)
  }
  const poll = async () => {
    if (isAsking) return
    isAsking = true
    let afterMs = pollMs
    try {
      const result = await ask(path, () => trouble(true))
      failures = 0
      trouble(false)
      // Too many pages poll from one IP address: this page waits, but shows no error.
      if (typeof result === 'number') afterMs = result
      else if (!ended.signal.aborted) on.status(result)
    } catch {
      failures++
      if (failures > 1 || !navigator.onLine) trouble(true)
    }
    isAsking = false
    schedule(afterMs)
  }
  const wentOffline = () => {
    trouble(true)
    // An offline browser can still reach a service on its own machine: the next poll decides.
    schedule()
  }
  const askNow = () => {
    if (document.visibilityState === 'visible') void poll()
  }
  addEventListener('offline', wentOffline, ended)
  addEventListener('online', askNow, ended)
  document.addEventListener('visibilitychange', askNow, ended)
  schedule()
  return () => {
    ended.abort()
    clearTimeout(timer)
  }
}

/**
 * Returns the status, or the milliseconds to wait before the next request. Calls `onLate` if the response is
 * slow.
 * @throws if no response arrives.
 */
async function ask(path: string, onLate: () => void): Promise<LiveStatus | number> {
  const late = setTimeout(onLate, patienceMs)
  try {
    const response = await fetch(path, { signal: AbortSignal.timeout(pollLimitMs) })
    if (response.status === 429) return Math.max(1, Number(response.headers.get('retry-after'))) * 1_000
    if (!response.ok) throw new Error(String(response.status))
    return (await response.json()) as LiveStatus
  } finally {
    clearTimeout(late)
  }
}
