import type { Clock } from '../../kernel/clock.ts'
import { weigh } from '../../kernel/weigh.ts'
import { BoundedMap } from '../../platform/bounded-map.ts'
import type { Changes } from '../../platform/cache/changes.ts'
import { isDatastoreOutage } from '../../platform/database/degraded.ts'
import type { Log } from '../../platform/log.ts'

const goodForMs = 5 * 60_000 // decisions: Degraded mode
const maxBytes = 8 * 1024 * 1024
/**
 * How old what was verified may be when something ends it: as old as a caller who is not asked about again. Answers that
 * come so soon after the last notice may have been under way.
 */
const unheardForMs = 1_000

type Kept<T> = { readonly value: T; at: number; era: number }

/** What is to be known of what is verified. */
type Finds<T> = {
  /** By what ids a credential may be ended. */
  readonly idsOf: (value: T) => readonly string[]
  /** Those that would not be verified now, or of which that cannot be known. */
  readonly findEnded: (values: readonly T[]) => Promise<ReadonlySet<T>>
}

/**
 * Credentials this process verified a short while ago, for the time that the datastore is away: what was good
 * then still authenticates for five minutes, and nothing else does.
 *
 * While the datastore answers it is asked each time and its word alone counts, so that a revocation is
 * effective at once. What was ended meanwhile, here or by another process that says so, is good for nothing in an
 * outage after that; what else was verified stays.
 *
 * While other processes cannot be heard, what they end is not known. With an outage that ends the hearing nothing can be
 * ended, and everything stays good. Where the datastore answers meanwhile, only what was verified in the last second is;
 * and once others are heard again, all that was verified before is looked up before it is good in an outage.
 */
export class RecentlyVerified<T extends object> {
  readonly #clock: Clock
  readonly #log: Log
  readonly #findEnded: Finds<T>['findEnded']
  readonly #kept = new BoundedMap<Kept<T>>(maxBytes, weigh)

  /** Counts what has ended: what was verified across an end is not kept, for it may be what ended. */
  #generation = 0

  /** Counts how often others were heard anew. */
  #era = 0
  /** What was verified in an era before this one may have been ended unheard. */
  #sureSince = 0
  /** When others were heard last, where they are not now. */
  #unheardAt: number | undefined
  /** When the datastore answered last while others could not be heard. */
  #answeredAt: number | undefined

  constructor(needs: { clock: Clock; changes: Changes; log: Log }, { idsOf, findEnded }: Finds<T>) {
    this.#clock = needs.clock
    this.#log = needs.log
    this.#findEnded = findEnded
    needs.changes.whenHearing((isHearing) => {
      if (isHearing) void this.#lookUpAll()
      else this.#unheardAt ??= this.#clock.now()
    })
    needs.changes.whenEnded((ended) => {
      this.#generation++
      this.#kept.deleteWhere(({ value }) => idsOf(value).some((id) => ended.has(id)))
    })
  }

  /** Returns what this process verified under the key in the last five minutes, without a query. */
  recall(key: string): T | undefined {
    const known = this.#kept.peek(key)
    if (!known) return undefined
    const now = this.#clock.now()
    return now >= known.at && now - known.at < goodForMs ? known.value : undefined
  }

  /** Takes note that it was verified at `now`, where it is known already; `false` where something else is, or nothing. */
  renew(key: string, value: T, now: number): boolean {
    return this.#renew(key, value, now, this.#era)
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
    const [generation, era] = [this.#generation, this.#era]
    try {
      const value = await verify()
      // Nothing is found without the datastore; what is refused may be so at a glance.
      if (value) this.#noteAnswer(now)
      if (value && this.#renew(key, value, now, era)) return value
      this.#kept.delete(key)
      if (value && generation === this.#generation)
        for (const each of [key, ...keysOf(value)]) this.#kept.set(each, { value, at: now, era })
      return value
    } catch (error) {
      // What is refused now was revoked, or has ended: an outage after that brings it back for nobody.
      if (!isDatastoreOutage(error)) this.#kept.delete(key)
      const known = this.#kept.get(key)
      // Judged by when it failed: another request may have been verified since this one began.
      const failedAt = this.#clock.now()
      const isRecent = known && failedAt >= known.at && failedAt - known.at < goodForMs
      if (isRecent && this.#isSure(known)) return known.value
      throw error
    }
  }

  #renew(key: string, value: T, now: number, era: number): boolean {
    const known = this.#kept.get(key)
    if (known?.value !== value) return false
    known.at = now
    known.era = Math.max(known.era, era)
    return true
  }

  /** Takes note that the datastore answered what was asked at `now`. */
  #noteAnswer(now: number): void {
    if (this.#unheardAt !== undefined && now - this.#unheardAt > unheardForMs) this.#answeredAt = now
  }

  /** Whether it would be known here if what was verified had been ended since. */
  #isSure({ at, era }: Kept<T>): boolean {
    return era >= this.#sureSince && (this.#answeredAt === undefined || this.#answeredAt - at < unheardForMs)
  }

  /** Others are heard anew: lets go of what was ended meanwhile. Nothing is good in an outage before that is known. */
  async #lookUpAll(): Promise<void> {
    this.#unheardAt = undefined
    this.#answeredAt = undefined
    this.#generation++
    const era = ++this.#era
    this.#sureSince = era
    try {
      const ended = await this.#findEnded([...new Set(this.#kept.values().map(({ value }) => value))])
      this.#kept.deleteWhere(({ value }) => ended.has(value))
      if (era === this.#era) this.#sureSince = 0
    } catch (error) {
      // In an outage; each is sure again when it is verified, and all are when others are heard anew.
      if (!isDatastoreOutage(error)) this.#log.error({ err: error }, 'who was verified cannot be looked up')
    }
  }
}
