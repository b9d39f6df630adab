import { createHash } from 'node:crypto'
import { type Bucket, type BucketSize, takeFrom } from '../access/limits/rate-bucket.ts'
import { type Clock, isAhead } from '../kernel/clock.ts'
import { FairSlots } from '../kernel/turns/fair-slots.ts'
import { BoundedMap } from '../platform/bounded-map.ts'
import type { Log } from '../platform/log.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import { fetchImage } from './fetch-image.ts'
import { type ImageError, type ImageOutcome, type ImageSource, sniffImage } from './image.ts'
import type { ImageEncoder } from './image-encoder.ts'
import type { ImageFiles, KeptImage } from './image-files.ts'

/** Lifetime of an image before it is refetched. */
const freshMs = 24 * 60 * 60_000
/** Maximum age of an image that is shown while refetching fails. */
const keptMs = 30 * freshMs
/** Time until a failed fetch is retried, by type of failure. */
const failedMs = { passing: 60_000, lasting: 5 * 60_000 } as const
/** Maximum time a request waits for an image that is not cached. */
const patienceMs = 9_000

const memoryBytes = 32 * 1024 * 1024
const slots = { atOnce: 4, atOnceEach: 2, waiting: 256, waitingEach: 64 } as const
/** Fetches per owner: enough for a full page at once, then one every five seconds. */
const budget: BucketSize = { capacity: 120, perMs: 1 / 5_000 }

type Failure = { readonly error: ImageError; readonly until: number }

/**
 * Cache of re-encoded remote images, in memory and on disk.
 *
 * Never fetches an image twice at the same time. Serves an older copy if refetching fails.
 */
export class ImageStore {
  readonly #needs: { outbound: Outbound; clock: Clock; log: Log; encoder: ImageEncoder; files: ImageFiles }
  readonly #memory = new BoundedMap<KeptImage>(memoryBytes, ({ image }) =>
    image.variants.reduce((sum, { body }) => sum + body.byteLength, 0),
  )
  readonly #failures = new BoundedMap<Failure>(1024 * 1024, () => 50)
  readonly #budgets = new BoundedMap<Bucket>(1024 * 1024, () => 50)
  readonly #underWay = new Map<string, Promise<ImageOutcome>>()
  readonly #slots = new FairSlots(slots)

  constructor(needs: {
    outbound: Outbound
    clock: Clock
    log: Log
    encoder: ImageEncoder
    files: ImageFiles
  }) {
    this.#needs = needs
  }

  /** Returns the image or the reason for its absence. Never throws, and waits at most a few seconds. */
  async find(source: ImageSource): Promise<ImageOutcome> {
    const { clock } = this.#needs
    const key = keyOf(source)
    const kept = this.#memory.get(key) ?? (await this.#readFile(key))
    const age = kept ? Math.abs(clock.now() - kept.fetchedAt) : Number.POSITIVE_INFINITY
    if (kept && age < freshMs) return { kind: 'image', image: kept.image }
    if (kept && age < keptMs) {
      void this.#load(key, source)
      return { kind: 'image', image: kept.image }
    }
    return this.#withPatience(this.#load(key, source))
  }

  close(): void {
    this.#needs.encoder.close()
  }

  async #readFile(key: string): Promise<KeptImage | undefined> {
    const kept = await this.#needs.files.read(key)
    if (kept) this.#memory.set(key, kept)
    return kept
  }

  #load(key: string, source: ImageSource): Promise<ImageOutcome> {
    const failure = this.#failures.get(key)
    if (failure && isAhead(failure.until, this.#needs.clock.now(), failedMs.lasting))
      return Promise.resolve({ kind: 'error', error: failure.error })
    const running = this.#underWay.get(key)
    if (running) return running
    const loading = this.#slots
      .run(source.owner, () => this.#fetchAndKeep(key, source))
      .then((outcome): ImageOutcome => (outcome === 'full' ? busy : outcome))
      .catch((error): ImageOutcome => {
        this.#needs.log.error({ err: error }, 'an image could not be created')
        return busy
      })
      .finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, loading)
    return loading
  }

  async #fetchAndKeep(key: string, source: ImageSource): Promise<ImageOutcome> {
    const { clock, encoder, files } = this.#needs
    if (!this.#mayFetch(source.owner)) return busy
    const bytes = await fetchImage(this.#needs, source.url)
    const outcome: ImageOutcome =
      typeof bytes === 'string'
        ? { kind: 'error', error: bytes }
        : sniffImage(bytes)
          ? await encoder.encode(bytes, source.kind)
          : { kind: 'error', error: 'not-an-image' }
    if (outcome.kind === 'error') {
      this.#fail(key, outcome.error)
      return outcome
    }
    const kept = { image: outcome.image, fetchedAt: clock.now() }
    this.#memory.set(key, kept)
    await files.write(key, kept)
    return outcome
  }

  #mayFetch(owner: string): boolean {
    const now = this.#needs.clock.now()
    const bucket = this.#budgets.get(owner) ?? { tokens: budget.capacity, at: now }
    this.#budgets.set(owner, bucket)
    return takeFrom(bucket, budget, 1, now) === 1
  }

  #fail(key: string, reason: ImageError): void {
    const isPassing = reason === 'unreachable' || reason === 'busy'
    const waitMs = isPassing ? failedMs.passing : failedMs.lasting
    this.#failures.set(key, { error: reason, until: this.#needs.clock.now() + waitMs })
  }

  async #withPatience(loading: Promise<ImageOutcome>): Promise<ImageOutcome> {
    let cancel = () => {}
    const impatience = new Promise<ImageOutcome>((resolve) => {
      cancel = this.#needs.clock.after(patienceMs, () => resolve(busy))
    })
    return Promise.race([loading, impatience]).finally(cancel)
  }
}

const busy: ImageOutcome = { kind: 'error', error: 'busy' }

/** Includes the owner in the key, so that one owner cannot learn which images another has. */
function keyOf({ owner, url, kind }: ImageSource): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, url, kind]))
    .digest('hex')
}
