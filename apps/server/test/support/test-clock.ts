import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Cancel, Clock } from '../../src/kernel/clock.ts'

type Timer = { readonly dueAt: number; readonly order: number; readonly job: () => void }

export class TestClock implements Clock {
  #now: number
  #order = 0
  #timers = new Set<Timer>()

  constructor(now = Date.UTC(2026, 0, 15, 12)) {
    this.#now = now
  }

  now(): UnixMs {
    return this.#now as UnixMs
  }

  after(delayMs: number, job: () => void): Cancel {
    const timer = { dueAt: this.#now + Math.max(0, delayMs), order: this.#order++, job }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  get timerCount(): number {
    return this.#timers.size
  }

  /**
   * Advances the time by `ms`. Runs the due timers in order, each at its own time, including new ones. After
   * each timer, lets its promises settle.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settle()
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, timer.dueAt)
      timer.job()
      await settle()
    }
    this.#now = end
  }

  /** Sets the time without running a timer, as on a machine whose clock is wrong. */
  jumpTo(now: number): void {
    this.#now = now
  }

  #next(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.dueAt > end) continue
      if (!first || timer.dueAt < first.dueAt || (timer.dueAt === first.dueAt && timer.order < first.order))
        first = timer
    }
    return first
  }
}

/**
 * Lets promises settle, with some rounds of the event loop for responses that have arrived. Does not wait for
 * a database or a socket: wait for the effect instead.
 */
export async function settle(rounds = 5): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve))
}
