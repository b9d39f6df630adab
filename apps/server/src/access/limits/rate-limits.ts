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

export type LimitVerdict = {
  readonly isAllowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Time at which the bucket is full or, for a rejected request, the next token is available. */
  readonly resetAt: UnixMs
}

type Entry = Bucket & {
  readonly size: BucketSize
  /** Tokens left in the shared bucket at the last lease. */
  sharedTokens: number
  lease: Promise<void> | undefined
}

const minuteMs = 60_000
const chunksPerLimit = 10
const maxBytes = 16 * 1024 * 1024
const entryBytes = 400
const longestSubject = 64

/**
 * Rate limits of this process: a token bucket per limit and subject.
 *
 * A single process keeps them in memory. Several processes lease a tenth of a shared bucket at a time, so
 * that few requests wait and the total limit holds.
 *
 * Above 16 MB, the least recently used buckets are dropped. Buckets with names chosen by callers are
 * separate, so that made-up names cannot evict other buckets.
 */
export class RateLimits {
  readonly #needs: { db: Database; clock: Clock }
  readonly #scale: number
  readonly #callers = new BoundedMap<Entry>(maxBytes, () => entryBytes)
  readonly #named = new BoundedMap<Entry>(maxBytes, () => entryBytes)
  #isShared = false

  /** @param scale - Factor for all limits. 0 turns them off. */
  constructor(needs: { db: Database; clock: Clock }, scale: number) {
    this.#needs = needs
    this.#scale = scale
  }

  get bytes(): number {
    return this.#callers.bytes + this.#named.bytes
  }

  /** Switches between local and shared buckets. A switch clears the local counts. */
  share(isShared: boolean): void {
    if (isShared !== this.#isShared) for (const entries of [this.#callers, this.#named]) entries.clear()
    this.#isShared = isShared
  }

  /**
   * Takes one token for a request. Returns `undefined` if limits are off.
   *
   * @param factor - Multiplies the limit for this subject.
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

  /** Returns the state of a limit without taking a token, or `undefined` if limits are off. */
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

  /** Spends the leased chunk first. Concurrent requests on an empty chunk share one lease. */
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
    // During a database outage, the process grants itself the chunk, so that the outage causes no rejections.
    const { granted, left } = await leaseTokens(this.#needs.db, key, entry.size, { wanted, now }).catch(
      () => ({ granted: wanted, left: refilled(entry, now) }),
    )
    entry.tokens += granted
    entry.sharedTokens = left
    entry.at = now
  }
}

/** Hashes long subjects, which are partly chosen by clients. */
function keyOf(name: LimitName, subject: string): string {
  if (subject.length <= longestSubject) return `${name}:${subject}`
  return `${name}:#${createHash('sha256').update(subject).digest('base64url')}`
}

/** Resets a time in the future, left by a clock that was ahead, so that the bucket refills from now. */
function setRight(entry: Entry, now: UnixMs): Entry {
  if (entry.at > now) entry.at = now
  return entry
}

/** Estimates the shared tokens. Other processes may have taken some. */
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

/**
 * Returns the job that counts replicas. With one replica, buckets stay in memory; with several, they are
 * shared.
 */
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
