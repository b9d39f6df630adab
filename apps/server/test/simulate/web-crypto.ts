import type { Scheduler } from './scheduler.ts'

const calls = ['importKey', 'sign', 'verify'] as const
let counting: Scheduler | undefined

/**
 * Makes a scheduler wait for the work of WebCrypto, which another thread does. One scheduler of a process at a
 * time.
 */
export function countWebCrypto(scheduler: Scheduler): void {
  const isFirst = counting === undefined
  counting = scheduler
  if (!isFirst) return
  const { subtle } = globalThis.crypto
  for (const name of calls) {
    const own = subtle[name].bind(subtle) as (...input: unknown[]) => Promise<unknown>
    const value = (...input: unknown[]) => {
      const done = counting?.begin()
      return own(...input).finally(done)
    }
    Object.defineProperty(subtle, name, { value })
  }
}
