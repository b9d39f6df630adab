export type Finding = {
  readonly name: string
  readonly result: 'ok' | 'warn' | 'fail' | 'skip'
  readonly text: string
  readonly advice?: string
}

export function fine(name: string, text: string): Finding {
  return { name, result: 'ok', text }
}

export function broken(name: string, text: string, advice: string): Finding {
  return { name, result: 'fail', text, advice }
}

export function doubtful(name: string, text: string, advice: string): Finding {
  return { name, result: 'warn', text, advice }
}

export function skipped(name: string, text: string): Finding {
  return { name, result: 'skip', text }
}

/** Evaluates a clock difference. More than 5 seconds is a warning, more than 30 seconds an error. */
export function validateClock(name: string, what: string, skewMs: number): Finding {
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  const text = `${what} is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's clock`
  const advice = 'Synchronize the clocks with NTP: sessions, quotes and webhook timestamps depend on them.'
  if (seconds > 30) return broken(name, text, advice)
  return seconds > 5 ? doubtful(name, text, advice) : fine(name, `${what} and this machine's clock agree`)
}
