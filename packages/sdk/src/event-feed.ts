import { SluiceError } from './errors.ts'
import { pause } from './pause.ts'
import { parseEvent, type WebhookEvent } from './webhook.ts'
import type { FeedEvent, FeedPage } from './wire.ts'

/** Position in a feed: the last event that was processed. */
export type Checkpoint = {
  readonly number: number
  /** Hash of the event with this number. Without it, the link of the next event is not verified. */
  readonly hash?: string | undefined
}

/** Storage of a checkpoint. Use the database that stores the effects of the events. */
export type CheckpointStore = {
  load(): Promise<Checkpoint | undefined>
  save(checkpoint: Checkpoint): Promise<void>
}

/** A status change of a receipt, with its position in the feed. */
export type FollowedEvent = {
  /** Starts at 1 and has no gaps. */
  readonly number: number
  readonly receiptId: string
  readonly idempotencyKey: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Body of the webhook. */
  readonly event: WebhookEvent
  /** Save it after you process the event. For exactly-once processing, save it in the same transaction. */
  readonly checkpoint: Checkpoint
}

/** Events that are no longer in the feed, which keeps events for 30 days. */
export type FeedGap = { readonly from: number; readonly to: number }

/** Options for following a feed. */
export type FollowOptions = {
  /** Last event that you processed. Defaults to the beginning of the feed. */
  readonly after?: Checkpoint | number | undefined
  /** Loaded at the start, and saved after each event. Takes precedence over `after`. */
  readonly checkpoint?: CheckpointStore | undefined
  /** `end`: stop at the current end of the feed. */
  readonly until?: 'end' | undefined
  /** Milliseconds between polls. Defaults to 2000. */
  readonly pollMs?: number | undefined
  /** Ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called if events are no longer in the feed. The iteration then continues after the gap. Read the receipts
   * with `receipts.list` in this function. Without `onGap`, a gap throws {@link FeedGapError}.
   */
  readonly onGap?: ((gap: FeedGap) => void | Promise<void>) | undefined
}

/** The next event is no longer in the feed. */
export class FeedGapError extends SluiceError {
  readonly gap: FeedGap

  constructor(gap: FeedGap) {
    super(`Events ${gap.from} to ${gap.to} are no longer in the feed, which keeps 30 days`)
    this.gap = gap
  }
}

/** The hash chain of the feed is broken: an event was changed, or the feed is from another database. */
export class FeedBrokenError extends SluiceError {
  /** Last event with a valid hash. */
  readonly checkpoint: Checkpoint

  constructor(checkpoint: Checkpoint, reason: string) {
    super(`The feed is broken after event ${checkpoint.number}: ${reason}`)
    this.checkpoint = checkpoint
  }
}

/**
 * The event feed as an async iterable. Yields every event exactly once and in order, and verifies its hash
 * first. Use the feed to process events that webhooks missed, repeated or reordered.
 *
 * The checkpoint is saved when the caller requests the next event. If your program stops while it processes
 * an event, the feed yields that event again.
 */
export class EventFeed implements AsyncIterable<FollowedEvent> {
  readonly #readPage: (after: number, signal: AbortSignal | undefined) => Promise<FeedPage>
  readonly #options: FollowOptions
  #wake: (() => void) | undefined

  constructor(
    readPage: (after: number, signal: AbortSignal | undefined) => Promise<FeedPage>,
    options: FollowOptions,
  ) {
    this.#readPage = readPage
    this.#options = options
  }

  /** Polls immediately. Call it when a webhook arrives. */
  nudge(): void {
    this.#wake?.()
  }

  /**
   * @throws {FeedGapError} if there is a gap and no `onGap`. {@link FeedBrokenError}. Errors of the requests.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<FollowedEvent, void, undefined> {
    const { checkpoint: store, after, until, signal, onGap } = this.#options
    let at = (await store?.load()) ?? (typeof after === 'number' ? { number: after } : after) ?? { number: 0 }
    for (;;) {
      signal?.throwIfAborted()
      const { events, last } = await this.#readPage(at.number, signal)
      if (last < at.number) throw new FeedBrokenError(at, `it ends at ${last}`)
      for (const event of events) {
        if (event.number > at.number + 1) {
          const gap = { from: at.number + 1, to: event.number - 1 }
          if (!onGap) throw new FeedGapError(gap)
          await onGap(gap)
          at = { number: gap.to, hash: event.previousHash }
        }
        await verifyNext(at, event)
        at = { number: event.number, hash: event.hash }
        yield readEvent(event)
        await store?.save(at)
      }
      if (events.length > 0) continue
      if (last > at.number)
        throw new FeedBrokenError(at, `it contains ${last} events but does not return them`)
      if (until === 'end') return
      await this.#wait()
    }
  }

  async #wait(): Promise<void> {
    const { pollMs = 2_000, signal } = this.#options
    const nudged = new AbortController()
    this.#wake = () => nudged.abort()
    const either = signal ? AbortSignal.any([nudged.signal, signal]) : nudged.signal
    await pause(pollMs, either).catch((error: unknown) => {
      if (!nudged.signal.aborted) throw error
    })
    this.#wake = undefined
  }
}

export function readEvent({
  number,
  receiptId,
  idempotencyKey,
  createdAt,
  hash,
  body,
}: FeedEvent): FollowedEvent {
  return {
    number,
    receiptId,
    idempotencyKey,
    createdAt,
    event: parseEvent(body),
    checkpoint: { number, hash },
  }
}

const beginning = '0'.repeat(64)

/** @throws {FeedBrokenError} if the number or the hash of the event does not follow the checkpoint. */
export async function verifyNext(at: Checkpoint, event: FeedEvent): Promise<void> {
  if (event.number !== at.number + 1) throw new FeedBrokenError(at, `it returns event ${event.number}`)
  const before = at.hash ?? (at.number === 0 ? beginning : event.previousHash)
  if (event.previousHash !== before) throw new FeedBrokenError(at, 'its next event does not follow it')
  if (event.hash !== (await sha256(before + event.body)))
    throw new FeedBrokenError(at, 'its next event was changed')
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
