import { hash } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { weigh } from '../../kernel/weigh.ts'
import { BoundedMap } from '../../platform/bounded-map.ts'
import type { Changes } from '../../platform/cache/changes.ts'
import type { Database } from '../../platform/database/database.ts'
import { isDatastoreOutage } from '../../platform/database/degraded.ts'
import type { KnownCaller, SubscriptionCaller } from '../caller.ts'
import type { Credentials } from '../credentials.ts'
import type { IdentifiedSession } from '../sessions/identify-session.ts'
import { findEnded } from './find-ended.ts'

type RecentNeeds = { readonly clock: Clock; readonly changes: Changes }

/** Callers verified in the last five minutes. They remain accepted during a database outage. */
export type RecentCallers = {
  readonly keys: RecentlyVerified<SubscriptionCaller>
  readonly sessions: RecentlyVerified<IdentifiedSession>
}

/** Creates the memory of verified callers, which drops callers whose access ends. */
export function makeRecentCallers(needs: RecentNeeds & { readonly db: Database }): RecentCallers {
  const recently = <T extends object>(callerOf: (value: T) => KnownCaller) =>
    new RecentlyVerified<T>(needs, {
      idsOf: (value) => idsOf(callerOf(value)),
      async findEnded(values) {
        const ended = await findEnded(needs, values.map(callerOf))
        return new Set(values.filter((value) => ended.has(callerOf(value))))
      },
    })
  return { keys: recently((caller) => caller), sessions: recently(({ caller }) => caller) }
}

const goodForMs = 5 * 60_000
const maxBytes = 8 * 1024 * 1024
/**
 * Maximum age in milliseconds of a kept credential while notifications are missing, so that a revoked one is
 * soon dropped.
 *
 * A result that arrives within this time may have been in progress when notifications stopped.
 */
const unheardForMs = 1_000
/** The cost of a lookup grows with the square of this number. */
const askedAtOnce = 100

type Finds<T> = {
  /** Ids whose revocation also ends the credential. */
  readonly idsOf: (value: T) => readonly string[]
  /** Returns the values that would fail verification now. */
  readonly findEnded: (values: readonly T[]) => Promise<ReadonlySet<T>>
}

/**
 * Credentials that remain valid for five minutes during a database outage.
 *
 * While the database responds, `verify` decides alone. Revocations drop entries, here or by notification. If
 * notifications fail while the database responds, only entries of the last second are kept. When notifications
 * resume, all entries are checked again.
 */
export class RecentlyVerified<T extends object> {
  readonly #clock: Clock
  readonly #kept = new BoundedMap<{ readonly value: T; at: number }>(maxBytes, weigh)
  /** Number of revocations. A result that was verified across a revocation is not kept. */
  #generation = 0
  /** Time at which notifications stopped, or `undefined` while they arrive. */
  #unheardAt: number | undefined

  constructor({ clock, changes }: RecentNeeds, { idsOf, findEnded }: Finds<T>) {
    this.#clock = clock
    changes.whenHearing((isHearing) => {
      if (isHearing) void this.#lookUpAll(findEnded)
      this.#unheardAt = isHearing ? undefined : (this.#unheardAt ?? clock.now())
    })
    changes.whenEnded((ended) => {
      this.#generation++
      this.#kept.deleteWhere(({ value }) => idsOf(value).some((id) => ended.has(id)))
    })
  }

  /** Returns what this process verified under the key in the last five minutes, without a query. */
  recall(key: string): T | undefined {
    const known = this.#kept.peek(key)
    const ageMs = this.#clock.now() - (known?.at ?? 0)
    return ageMs >= 0 && ageMs < goodForMs ? known?.value : undefined
  }

  /**
   * Returns the result of `verify` or, in a database outage, the recent result for the key.
   *
   * @param key - Must not contain the credential: a hash or a session id.
   * @param keysOf - Additional keys for the result.
   *
   * @throws the error of `verify` if there is no recent result.
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
      if (value && this.#unheardAt !== undefined && now - this.#unheardAt > unheardForMs)
        this.#kept.deleteWhere(({ at }) => at <= now - unheardForMs)
      const known = this.#kept.get(key)
      if (value && known?.value === value) known.at = now
      else this.#kept.delete(key)
      if (value && known?.value !== value && generation === this.#generation)
        for (const each of [key, ...keysOf(value)]) this.#kept.set(each, { value, at: now })
      return value
    } catch (error) {
      // The credential was revoked or has ended: a later outage must not restore it.
      if (!isDatastoreOutage(error)) this.#kept.delete(key)
      const known = this.recall(key)
      if (known) return known
      throw error
    }
  }

  async #lookUpAll(findEnded: Finds<T>['findEnded']): Promise<void> {
    this.#generation++
    const all = [...new Set(this.#kept.values().map(({ value }) => value))]
    for (let from = 0; from < all.length; from += askedAtOnce) {
      const asked = all.slice(from, from + askedAtOnce)
      const ended = await findEnded(asked).catch(() => new Set(asked))
      this.#kept.deleteWhere(({ value }) => ended.has(value))
    }
  }
}

/** Returns the ids whose revocation ends the caller's access. */
export function idsOf(caller: KnownCaller): readonly string[] {
  return caller.kind === 'subscription' ? [caller.subscriptionId] : [caller.sessionId, caller.wallet]
}

/** Returns a hash of the credentials that does not reveal them. */
export function nameOf(credentials: Credentials): string {
  const { subscriptionKey, apiKey, token, stampedSubscriptionId } = credentials
  const said = JSON.stringify([subscriptionKey, apiKey, token, stampedSubscriptionId])
  return hash('sha256', said, 'base64')
}
