import type { Clock } from '../../kernel/clock.ts'
import { weigh } from '../../kernel/weigh.ts'
import { BoundedMap } from '../bounded-map.ts'
import { isDatastoreOutage } from './degraded.ts'

const goodForMs = 5 * 60_000 // decisions: Degraded mode
const maxBytes = 8 * 1024 * 1024

/**
 * Credentials this process verified a short while ago, for the time that the datastore is away: what was good
 * then still authenticates for five minutes, and nothing else does.
 *
 * While the datastore answers it is asked each time and its word alone counts, so that a revocation is
 * effective at once.
 */
export class RecentlyVerified<T extends object> {
  readonly #clock: Clock
  readonly #kept = new BoundedMap<{ readonly value: T; at: number }>(maxBytes, weigh)

  constructor(needs: { clock: Clock }) {
    this.#clock = needs.clock
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
   * @throws whatever `verify` throws where nothing is known lately.
   */
  async through(key: string, verify: () => Promise<T | undefined>): Promise<T | undefined> {
    const now = this.#clock.now()
    try {
      const value = await verify()
      if (value && this.renew(key, value, now)) return value
      this.#kept.delete(key)
      if (value) this.#kept.set(key, { value, at: now })
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
