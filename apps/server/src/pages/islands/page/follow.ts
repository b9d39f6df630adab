import type { LiveStatus } from '../../live/island-data.ts'

const pollMs = 2_000
/** The first time after the events broke off: whoever cannot be reached is to be known of within five seconds. */
const firstPollMs = 500
/** The service says every two seconds that it is there: after this long without a word it is asked. */
const silenceMs = 2_500
const lookMs = 500
/** An answer that takes longer is trouble, until it comes. */
const patienceMs = 2_000
const pollLimitMs = 8_000

/**
 * Follows a checkout: by server-sent events, and by asking where those do not come through, or where nothing is
 * heard any more: of a service that hangs no connection tells.
 * `on.trouble` says whether the status can be read at all.
 */
export function follow(
  paths: { readonly events: string; readonly status: string },
  on: { status(status: LiveStatus): void; trouble(isPageError: boolean): void },
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isStopped = false
  let isAsking = false

  const trouble = (isPageError: boolean) => {
    if (!isStopped) on.trouble(isPageError)
  }
  const poll = async () => {
    clearTimeout(timer)
    timer = undefined
    if (isAsking) return
    isAsking = true
    try {
      const status = await ask(paths.status, () => trouble(true))
      failures = 0
      trouble(false)
      if (!isStopped) on.status(status)
    } catch {
      failures++
      if (failures > 1 || !navigator.onLine) trouble(true)
    }
    isAsking = false
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

  const source = hear(paths.events, {
    message(text) {
      rest()
      trouble(false)
      // It may have been on its way when the connection went, and be the last.
      if (!navigator.onLine) schedule()
      on.status(JSON.parse(text) as LiveStatus)
    },
    beat() {
      // What was asked for in the silence was answered: from here on the service tells again.
      if (failures === 0 && !isAsking && navigator.onLine) rest()
    },
    trouble: () => trouble(true),
    error: () => schedule(firstPollMs),
  })
  const watch = setInterval(() => {
    if (!isAsking && source.silentMs() > silenceMs) schedule(0)
  }, lookMs)
  const wentOffline = () => {
    trouble(true)
    // A browser without any network still reaches a service on its own machine: asking tells.
    schedule()
  }
  const askNow = () => {
    if (document.visibilityState === 'visible') void poll()
  }
  const ended = new AbortController()
  addEventListener('offline', wentOffline, ended)
  addEventListener('online', askNow, ended)
  document.addEventListener('visibilitychange', askNow, ended)
  if (!navigator.onLine) schedule()
  return () => {
    isStopped = true
    source.close()
    clearTimeout(timer)
    clearInterval(watch)
    ended.abort()
  }
}

/** The status, with a word where it is long in coming. @throws where it does not come. */
async function ask(path: string, onLate: () => void): Promise<LiveStatus> {
  const late = setTimeout(onLate, patienceMs)
  try {
    const response = await fetch(path, { signal: AbortSignal.timeout(pollLimitMs) })
    if (!response.ok) throw new Error(String(response.status))
    return (await response.json()) as LiveStatus
  } finally {
    clearTimeout(late)
  }
}

/** The events of a page, and for how long nothing has been heard of them. */
function hear(
  url: string,
  on: { message(text: string): void; beat(): void; trouble(): void; error(): void },
): { silentMs(): number; close(): void } {
  let heardAt = performance.now()
  const source = new EventSource(url)
  for (const kind of ['message', 'beat', 'trouble'] as const)
    source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
      heardAt = performance.now()
      on[kind](data)
    })
  source.onerror = () => on.error()
  return { silentMs: () => performance.now() - heardAt, close: () => source.close() }
}
