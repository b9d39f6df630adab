import type { UnixMs } from '@sluice/protocol/time.ts'

/** Cancels a timer. Safe to call after the timer has fired. */
export type Cancel = () => void

/**
 * The only source of business time and timers, so that a test or a simulation can control time.
 *
 * Only database leases use database time.
 */
export interface Clock {
  now(): UnixMs
  /** Runs `job` once, after `delayMs`. A pending timer does not keep the process alive. */
  after(delayMs: number, job: () => void): Cancel
}

/** The machine's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now() as UnixMs,
  after(delayMs, job) {
    const timer = setTimeout(job, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Resolves after `delayMs`, or as soon as `signal` is aborted. Never rejects. */
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

/** Keeps the process alive until the returned function is called. Servers do not need it. */
export function stayAlive(): Cancel {
  const timer = setInterval(() => {}, 60_000)
  return () => clearInterval(timer)
}

/**
 * Returns whether `instant` is in the future by at most `longestMs`.
 *
 * An instant that is further away was set by a wrong clock, so nothing may wait for it.
 */
export function isAhead(instant: number, now: number, longestMs: number): boolean {
  return now < instant && instant - now <= longestMs
}

/**
 * Returns the result of `work`, or throws the reason of `signal` when `signal` is aborted.
 *
 * The work itself continues: use this only for work that ends with its process or connection.
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
