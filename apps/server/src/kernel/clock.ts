import type { UnixMs } from '@sluice/protocol/time.ts'

/** Stops what it was given for; safe to call twice. */
export type Cancel = () => void

/**
 * The only source of business time and of timers.
 *
 * The whole server runs on one of these, so that a test or a simulation can
 * hold the time still and move it. Database leases alone use database time.
 */
export interface Clock {
  now(): UnixMs
  /** Runs `job` once, `delayMs` from now. A pending timer does not keep the process alive. */
  after(delayMs: number, job: () => void): Cancel
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now() as UnixMs,
  after(delayMs, job) {
    const timer = setTimeout(job, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Resolves `delayMs` later on `clock`, or at once when `signal` is aborted. */
export function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(delayMs, done)
    signal?.addEventListener('abort', done, { once: true })
  })
}

/** Keeps a program that only waits from ending of itself, until what it gives is called. Servers need it not. */
export function stayAlive(): Cancel {
  const timer = setInterval(() => {}, 60_000)
  return () => clearInterval(timer)
}

/**
 * Whether an instant that was set to be at most `longestMs` away is still ahead. One further away was set by a clock
 * that was wrong and is right again: nothing waits for it.
 */
export function isAhead(instant: number, now: number, longestMs: number): boolean {
  return now < instant && instant - now <= longestMs
}

/**
 * What `work` comes to, or the reason of `signal` as soon as that is aborted.
 *
 * The work itself goes on unheard: only for what leaves nothing behind when its process or its connection ends.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  work.catch(() => {})
  signal.throwIfAborted()
  let leave = () => {}
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason)
  })
  signal.addEventListener('abort', leave, { once: true })
  return Promise.race([work, left]).finally(() => signal.removeEventListener('abort', leave))
}
