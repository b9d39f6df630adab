import type { Clock } from '../../kernel/clock.ts'
import { weigh } from '../../kernel/weigh.ts'
import { BoundedMap } from '../../platform/bounded-map.ts'
import { isDatastoreOutage } from '../../platform/database/degraded.ts'
import type { Changes } from '../../platform/facts/changes.ts'

const goodForMs = 5 * 60_000 // decisions: Degraded mode
const maxBytes = 8 * 1024 * 1024

/**
 * Credentials this process verified a short while ago, for the time that the datastore is away: what was good
 * then still authenticates for five minutes, and nothing else does.
 *
 * While the datastore answers it is asked each time and its word alone counts, so that a revocation is
 * effective at once. What was ended meanwhile, here or by another process that says so, is good for nothing in an
 * outage after that; what else was verified stays.
 */
export class RecentlyVerified<T extends object> {
  readonly #clock: Clock
  readonly #kept = new BoundedMap<{ readonly value: T; at: number }>(maxBytes, weigh)

  /** Counts what has ended: what was verified across an end is not kept, for it may be what ended. */
  #generation = 0

  /** @param idsOf - By what ids a credential may be ended. */
  constructor(needs: { clock: Clock; changes: Changes }, idsOf: (value: T) => readonly string[]) {
    this.#clock = needs.clock
    needs.changes.whenEnded((ended) => {
      this.#generation++
      this.#kept.deleteWhere(({ value }) => idsOf(value).some((id) => ended.has(id)))
    })
  }

  /** Whether this process verified it in the last five minutes, as far as is known without asking. */
  knows(key: string): boolean {
    const known = this.#kept.peek(key)
    if (!known) return false
    const now = this.#clock.now()
    return now >= known.at && now - known.at < goodForMs
  }

  /** Takes note that it was verified at `now`, where it is known already; `false` where something else is, or nothing. */
  renew(key: string, value: T, now: number): boolean {
    const known = this.#kept.get(key)
    if (known?.value !== value) return false
    known.at = now
    return true
  }

  /**
   * What `verify` finds, or where it fails for want of a datastore what it found under this key lately.
   *
   * @param key - Names the credential without containing it: a hash, a session's id.
   * @param keysOf - Under what other keys it is known from now on.
   * @throws whatever `verify` throws where nothing is known lately.
   */
  async through(
    key: string,
    verify: () => Promise<T | undefined>,
    keysOf: (value: T) => readonly string[] = () => [],
  ): Promise<T | undefined> {
    const now = this.#clock.now()
    const generation = this.#generation
    try {
      const value = await verify()
      if (value && this.renew(key, value, now)) return value
      this.#kept.delete(key)
      if (value && generation === this.#generation)
        for (const each of [key, ...keysOf(value)]) this.#kept.set(each, { value, at: now })
      return value
    } catch (error) {
      // What is refused now was revoked, or has ended: an outage after that brings it back for nobody.
      if (!isDatastoreOutage(error)) this.#kept.delete(key)
      const known = this.#kept.get(key)
      // Judged by when it failed: another request may have been verified since this one began.
      const failedAt = this.#clock.now()
      if (known && failedAt >= known.at && failedAt - known.at < goodForMs) return known.value
      throw error
    }
  }
}
