import type { Clock } from '../../kernel/clock.ts'
import { weigh } from '../../kernel/weigh.ts'
import { BoundedMap } from '../bounded-map.ts'
import type { ChangeKind, Changes } from './changes.ts'

/** The longest that a change may stay unnoticed where its notification is lost: a revoked key ends within a second. */
const maxAgeMs = 800
const maxBytes = 8 * 1024 * 1024

/** What facts are kept by. */
export type FactNeeds = { readonly clock: Clock; readonly changes: Changes }

/**
 * What was read from the database a moment ago, for what nearly every request asks and nearly nobody changes.
 *
 * A change of the rows it was read from drops it: at once in the process that made it, and in the others when they
 * are notified. What no notification came for is read anew when it is 800 ms old, counted from before it was read.
 */
export class Facts<T extends object> {
  readonly #clock: Clock
  readonly #kept = new BoundedMap<{ value: T; at: number }>(maxBytes, weigh)
  /** Counts the changes: what was read across one is used once and not kept. */
  #generation = 0

  /** @param kinds - Which rows it is read from. */
  constructor({ clock, changes }: FactNeeds, kinds: readonly ChangeKind[]) {
    this.#clock = clock
    changes.listen((kind) => {
      if (!kinds.includes(kind)) return
      this.#generation++
      this.#kept.clear()
    })
  }

  /** What is known under a key, if anything is. */
  peek(key: string): T | undefined {
    const known = this.#kept.peek(key)
    if (!known) return undefined
    const now = this.#clock.now()
    // A clock that was put back makes what was read before old.
    return now >= known.at && now - known.at < maxAgeMs ? known.value : undefined
  }

  /** What is known under a key, else what `read` finds, which then is; nothing is kept of what it does not find. */
  async get<Found extends T | undefined>(key: string, read: () => Promise<Found>): Promise<Found | T> {
    const known = this.peek(key)
    if (known) return known
    const now = this.#clock.now()
    const generation = this.#generation
    const found = await read()
    if (found !== undefined && generation === this.#generation) this.#kept.set(key, { value: found, at: now })
    return found
  }
}
