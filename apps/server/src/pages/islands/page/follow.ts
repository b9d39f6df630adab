import type { LiveStatus } from '../../live/island-data.ts'

const pollMs = 1_500
/** A response that takes longer counts as trouble until it arrives. */
const patienceMs = 2_000
const pollLimitMs = 8_000

/**
 * Follows a checkout by polling its status. A page says within five seconds that the service cannot be reached.
 *
 * @param on.trouble - Reports whether the status cannot be read.
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
      const answer = await ask(path, () => trouble(true))
      failures = 0
      trouble(false)
      // Many pages are open at one address: this one waits, and nothing is wrong.
      if (typeof answer === 'number') afterMs = answer
      else if (!ended.signal.aborted) on.status(answer)
    } catch {
      failures++
      if (failures > 1 || !navigator.onLine) trouble(true)
    }
    isAsking = false
    schedule(afterMs)
  }
  const wentOffline = () => {
    trouble(true)
    // A browser without any network still reaches a service on its own machine: the next poll tells.
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
 * Returns the status, or how many milliseconds to wait before the next request; calls `onLate` if it takes long.
 *
 * @throws if it does not arrive.
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
