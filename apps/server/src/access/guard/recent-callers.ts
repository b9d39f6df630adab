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

/** What remembering callers leans on. */
type RecentNeeds = { readonly clock: Clock; readonly changes: Changes }

/** Whom this process verified in the last five minutes: they still get in while the datastore is away. */
export type RecentCallers = {
  readonly keys: RecentlyVerified<SubscriptionCaller>
  readonly sessions: RecentlyVerified<IdentifiedSession>
}

/** Nobody yet. */
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

const goodForMs = 5 * 60_000 // decisions: Degraded mode
const maxBytes = 8 * 1024 * 1024
/**
 * How old what was verified may be when something ends it: as old as a caller who is not asked about again. Answers that
 * come so soon after the last notice may have been under way.
 */
const unheardForMs = 1_000
/** What a statement looks up costs the square of them. */
const askedAtOnce = 100

/** What is to be known of what is verified. */
type Finds<T> = {
  /** By what ids a credential may be ended. */
  readonly idsOf: (value: T) => readonly string[]
  /** Those that would not be verified now. */
  readonly findEnded: (values: readonly T[]) => Promise<ReadonlySet<T>>
}

/**
 * Credentials this process verified a short while ago, for the time that the datastore is away: what was good
 * then still authenticates for five minutes, and nothing else does.
 *
 * While the datastore answers it is asked each time and its word alone counts. What is ended, here or by another process
 * that says so, is forgotten. Where others cannot be heard and the datastore answers, what they end is not known: then
 * only what was verified in the last second is kept. Once they are heard again all is looked up, and what cannot be is
 * forgotten.
 */
export class RecentlyVerified<T extends object> {
  readonly #clock: Clock
  readonly #kept = new BoundedMap<{ readonly value: T; at: number }>(maxBytes, weigh)
  /** Counts what has ended: what was verified across an end is not kept, for it may be what ended. */
  #generation = 0
  /** When others were heard last, where they are not now. */
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
      if (value && this.#unheardAt !== undefined && now - this.#unheardAt > unheardForMs)
        this.#kept.deleteWhere(({ at }) => at <= now - unheardForMs)
      const known = this.#kept.get(key)
      if (value && known?.value === value) known.at = now
      else this.#kept.delete(key)
      if (value && known?.value !== value && generation === this.#generation)
        for (const each of [key, ...keysOf(value)]) this.#kept.set(each, { value, at: now })
      return value
    } catch (error) {
      // What is refused now was revoked, or has ended: an outage after that brings it back for nobody.
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

/** By what ids those may be told of who are let in no more, a caller among them. */
export function idsOf(caller: KnownCaller): readonly string[] {
  return caller.kind === 'subscription' ? [caller.subscriptionId] : [caller.sessionId, caller.wallet]
}

/** A name for everything a request says of who sent it, from which none of it can be learnt. */
export function nameOf(credentials: Credentials): string {
  const { subscriptionKey, apiKey, token, stampedSubscriptionId } = credentials
  const said = JSON.stringify([subscriptionKey, apiKey, token, stampedSubscriptionId])
  return hash('sha256', said, 'base64')
}
