import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import { weigh } from '../../kernel/weigh.ts'
import { BoundedMap } from '../bounded-map.ts'
import type { Changes } from './changes.ts'

/** Maximum staleness if a notification is lost: a revoked key stops working within a second. */
const maxAgeMs = 800
const maxBytes = 8 * 1024 * 1024

type Kept = { readonly value: unknown; readonly at: number }
type Reading = { readonly found: Promise<unknown>; readonly at: number }

/**
 * Cache of rows that nearly every request reads and that rarely change: keys, brands, shops, splits.
 *
 * A write to these tables drops everything: at once in its own process, in others by a notification. Without
 * a notification, a value expires 800 ms after its read began.
 */
export class Cache {
  readonly #clock: Clock
  readonly #kept = new BoundedMap<Kept>(maxBytes, ({ value }) => weigh(value))
  readonly #reading = new Map<string, Reading>()
  #changeCount = 0

  constructor({ clock, changes }: { clock: Clock; changes: Changes }) {
    this.#clock = clock
    changes.whenChanged(() => {
      this.#changeCount += 1
      this.#kept.clear()
      this.#reading.clear()
    })
  }

  /**
   * Returns the cached value or the result of `read`. Concurrent callers share one read. `undefined` is not
   * cached.
   */
  async get<T extends object | undefined>(key: string, read: () => Promise<T>): Promise<T> {
    const kept = this.#kept.peek(key)
    if (kept && this.#isYoung(kept)) return kept.value as T
    const reading = this.#reading.get(key)
    const found = reading && this.#isYoung(reading) ? await shared(reading) : undefined
    return found === undefined ? this.#read(key, read) : (found as T)
  }

  async #read<T>(key: string, read: () => Promise<T>): Promise<T> {
    const at = this.#clock.now()
    const changeCount = this.#changeCount
    const reading: Reading = { found: read(), at }
    this.#reading.set(key, reading)
    try {
      const value = (await reading.found) as T
      // A value whose read overlaps a change is returned once and not cached.
      if (value !== undefined && changeCount === this.#changeCount) this.#kept.set(key, { value, at })
      return value
    } finally {
      if (this.#reading.get(key) === reading) this.#reading.delete(key)
    }
  }

  /** Returns whether a read is recent enough. After the clock was set back, earlier reads count as old. */
  #isYoung({ at }: { readonly at: number }): boolean {
    const now = this.#clock.now()
    return now >= at && now - at < maxAgeMs
  }
}

/**
 * Returns the result of another caller's read. Ignores the read's errors except outages: they may not recur.
 */
async function shared({ found }: Reading): Promise<unknown> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Outage) throw error
    return undefined
  }
}
