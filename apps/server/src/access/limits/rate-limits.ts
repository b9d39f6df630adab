import { createHash } from 'node:crypto'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { BoundedMap } from '../../platform/bounded-map.ts'
import type { Database } from '../../platform/database/database.ts'
import { claimLease, listHeldLeases, pruneLeases } from '../../platform/jobs/lease.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { addressWide, type LimitName, limitPerMinute } from '../rate-rules.ts'
import {
  type Bucket,
  type BucketSize,
  fullAt,
  leaseTokens,
  nextTokenAt,
  takeFrom,
  tokensIn,
} from './rate-bucket.ts'

/** What a request came to at a limit. */
export type LimitVerdict = {
  readonly isAllowed: boolean
  readonly limit: number
  readonly remaining: number
  /** When the bucket is full again or, for a refused request, when the next one is let through. */
  readonly resetAt: UnixMs
}

type Entry = Bucket & {
  readonly size: BucketSize
  /** Shared mode: what is left in the shared bucket, as of the last lease. */
  sharedTokens: number
  lease: Promise<void> | undefined
}

const minuteMs = 60_000
const chunksPerLimit = 10
const maxBytes = 16 * 1024 * 1024
const entryBytes = 400
const longestSubject = 64

/**
 * The rate limits of this process: token buckets by limit and subject.
 *
 * Alone, they live in memory. With several processes on one database each leases tokens from shared
 * buckets in chunks of a tenth, so that most requests wait for nothing and all processes together let
 * no more through than one would.
 *
 * Buckets that were not used for longest are forgotten where they come to more than 16 MB. Those that count what
 * callers name are kept apart, so that no number of made-up names takes another's bucket away.
 */
export class RateLimits {
  readonly #needs: { db: Database; clock: Clock }
  readonly #scale: number
  readonly #callers = new BoundedMap<Entry>(maxBytes, () => entryBytes)
  readonly #named = new BoundedMap<Entry>(maxBytes, () => entryBytes)
  #isShared = false

  /** @param scale - Multiplies every limit; 0 means none. */
  constructor(needs: { db: Database; clock: Clock }, scale: number) {
    this.#needs = needs
    this.#scale = scale
  }

  /** What its buckets take in memory. */
  get bytes(): number {
    return this.#callers.bytes + this.#named.bytes
  }

  /** Says whether other processes work on the same database. What was counted alone is forgotten then. */
  share(isShared: boolean): void {
    if (isShared !== this.#isShared) for (const entries of [this.#callers, this.#named]) entries.clear()
    this.#isShared = isShared
  }

  /**
   * Takes one token for a request. Returns `undefined` if limits are off.
   *
   * @param factor - Multiplies the limit for this kind of subject.
   */
  async take(name: LimitName, subject: string, factor = 1): Promise<LimitVerdict | undefined> {
    if (this.#scale === 0) return undefined
    const now = this.#needs.clock.now()
    const key = keyOf(name, subject)
    const entry = this.#entryOf(key, this.#sizeOf(name, factor), name, now)
    if (this.#isShared) return this.#takeShared(key, entry, now)
    const isAllowed = takeFrom(entry, entry.size, 1, now) === 1
    return verdict(isAllowed, entry.tokens, entry.size, now)
  }

  /** How a subject stands, without a request counted; `undefined` where limits are off. */
  look(name: LimitName, subject: string): LimitVerdict | undefined {
    if (this.#scale === 0) return undefined
    const now = this.#needs.clock.now()
    const entry = this.#entriesOf(name).peek(keyOf(name, subject))
    if (!entry) return verdict(true, this.#sizeOf(name).capacity, this.#sizeOf(name), now)
    setRight(entry, now)
    const tokens = this.#isShared ? entry.tokens + refilled(entry, now) : tokensIn(entry, entry.size, now)
    return verdict(tokens >= 1, tokens, entry.size, now)
  }

  #sizeOf(name: LimitName, factor = 1): BucketSize {
    const capacity = Math.max(1, Math.round(limitPerMinute[name] * this.#scale * factor))
    return { capacity, perMs: capacity / minuteMs }
  }

  #entriesOf(name: LimitName): BoundedMap<Entry> {
    return name in addressWide || name === 'telemetry' ? this.#named : this.#callers
  }

  #entryOf(key: string, size: BucketSize, name: LimitName, now: UnixMs): Entry {
    const entries = this.#entriesOf(name)
    const found = entries.get(key)
    if (found) return setRight(found, now)
    const tokens = this.#isShared ? 0 : size.capacity
    const entry: Entry = { tokens, at: now, size, sharedTokens: size.capacity, lease: undefined }
    entries.set(key, entry)
    return entry
  }

  /** A leased chunk is spent first; who finds it empty waits for one lease together with the others. */
  async #takeShared(key: string, entry: Entry, now: UnixMs): Promise<LimitVerdict> {
    while (entry.tokens < 1 && refilled(entry, now) >= 1) {
      entry.lease ??= this.#lease(key, entry).finally(() => {
        entry.lease = undefined
      })
      await entry.lease
    }
    const isAllowed = entry.tokens >= 1
    if (isAllowed) entry.tokens -= 1
    return verdict(isAllowed, entry.tokens + refilled(entry, now), entry.size, now)
  }

  async #lease(key: string, entry: Entry): Promise<void> {
    const wanted = Math.max(1, Math.ceil(entry.size.capacity / chunksPerLimit))
    const now = this.#needs.clock.now()
    // Without the database nothing can be shared, and its outage is no reason to refuse more than it does.
    const { granted, left } = await leaseTokens(this.#needs.db, key, entry.size, { wanted, now }).catch(
      () => ({ granted: wanted, left: refilled(entry, now) }),
    )
    entry.tokens += granted
    entry.sharedTokens = left
    entry.at = now
  }
}

/** A bucket's name: short whatever the subject, which is partly what somebody typed. */
function keyOf(name: LimitName, subject: string): string {
  if (subject.length <= longestSubject) return `${name}:${subject}`
  return `${name}:#${createHash('sha256').update(subject).digest('base64url')}`
}

/** What was counted by a clock that was ahead fills from now on, and not only when that time has come. */
function setRight(entry: Entry, now: UnixMs): Entry {
  if (entry.at > now) entry.at = now
  return entry
}

/** What the shared bucket holds now, as far as this process knows: others may have taken more. */
function refilled(entry: Entry, now: UnixMs): number {
  return tokensIn({ tokens: entry.sharedTokens, at: entry.at }, entry.size, now)
}

function verdict(isAllowed: boolean, tokens: number, size: BucketSize, now: UnixMs): LimitVerdict {
  return {
    isAllowed,
    limit: size.capacity,
    remaining: Math.max(0, Math.min(size.capacity, Math.floor(tokens))),
    resetAt: isAllowed ? fullAt(Math.min(tokens, size.capacity), size, now) : nextTokenAt(tokens, size, now),
  }
}

const prefix = 'replica/'
const leaseMs = 15_000
const everyMs = 5_000

/** The job that tells the rate limits whether this process is alone on its database. */
export function makeCountReplicasJob(needs: { db: Database; holder: string; limits: RateLimits }): Job {
  const { db, holder, limits } = needs
  let isFirst = true
  return {
    name: jobNames.countReplicas,
    everyMs,
    async run() {
      if (isFirst) await pruneLeases(db, prefix)
      isFirst = false
      await claimLease(db, prefix + holder, holder, leaseMs)
      const replicas = await listHeldLeases(db, prefix)
      limits.share(replicas.length > 1)
      return 'done'
    },
  }
}
