/** What a check found, and what to do about it. */
export type Finding = {
  readonly name: string
  readonly result: 'ok' | 'warn' | 'fail' | 'skip'
  readonly text: string
  readonly advice?: string
}

/** All is well. */
export function fine(name: string, text: string): Finding {
  return { name, result: 'ok', text }
}

/** Something does not work. */
export function broken(name: string, text: string, advice: string): Finding {
  return { name, result: 'fail', text, advice }
}

/** It works, and somebody should look at it. */
export function doubtful(name: string, text: string, advice: string): Finding {
  return { name, result: 'warn', text, advice }
}

/** There is nothing to look at from here. */
export function skipped(name: string, text: string): Finding {
  return { name, result: 'skip', text }
}

/** How far a clock is off, judged: up to 5 seconds is fine, beyond 30 things break. */
export function judgeClock(name: string, what: string, skewMs: number): Finding {
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  const text = `${what} is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's clock`
  const advice = 'Synchronize the clocks with NTP: sessions, quotes and webhook timestamps depend on them.'
  if (seconds > 30) return broken(name, text, advice)
  return seconds > 5 ? doubtful(name, text, advice) : fine(name, `${what} and this machine's clock agree`)
}
