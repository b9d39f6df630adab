import { SluiceError } from './errors.ts'
import { pause } from './pause.ts'
import { parseEvent } from './webhook.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { FeedEvent, FeedPage } from './wire.ts'

/** How far a feed was read. */
export type Checkpoint = {
  readonly number: number
  /** Of the event with that number; without it the chain is trusted there. */
  readonly hash?: string | undefined
}

/** Where a program keeps its checkpoint. Best in the database that holds what it does with the events. */
export type CheckpointStore = {
  load(): Promise<Checkpoint | undefined>
  save(checkpoint: Checkpoint): Promise<void>
}

/** One change of a receipt's status, at its place in the feed. */
export type FollowedEvent = {
  /** From 1, without a gap. */
  readonly number: number
  readonly receiptId: string
  readonly idempotencyKey: string
  /** Unix milliseconds. */
  readonly createdAt: number
  /** What was sent, or will be, to the webhook endpoint. */
  readonly event: WebhookEvent
  /** To be kept once this event is dealt with: in one transaction with that, if it must be exactly once. */
  readonly checkpoint: Checkpoint
}

/** Events that the feed does not hold any more: it keeps 30 days. */
export type FeedGap = { readonly from: number; readonly to: number }

/** How to follow a feed. */
export type FollowOptions = {
  /** Goes on after it; the feed's beginning where absent. */
  readonly after?: Checkpoint | number | undefined
  /** Loaded at the start, saved after each event that was dealt with. Goes before `after`. */
  readonly checkpoint?: CheckpointStore | undefined
  /** `end`: stops where the feed ends now. */
  readonly until?: 'end' | undefined
  /** How often to look for more; two seconds where absent. */
  readonly pollMs?: number | undefined
  /** Ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Told of events that are gone; then the feed goes on after them. Read what became of receipts by
   * `receipts.each` there. Without it a gap is an error.
   */
  readonly onGap?: ((gap: FeedGap) => void | Promise<void>) | undefined
}

/** The feed does not hold the next event any more. */
export class FeedGapError extends SluiceError {
  readonly gap: FeedGap

  constructor(gap: FeedGap) {
    super(`Events ${gap.from} to ${gap.to} are no longer in the feed, which keeps 30 days`)
    this.gap = gap
  }
}

/** The chain of hashes does not hold: what is read is not what was read before, or was changed. */
export class FeedBrokenError extends SluiceError {
  /** The last event up to which the chain holds. */
  readonly checkpoint: Checkpoint

  constructor(checkpoint: Checkpoint, why: string) {
    super(`The feed is broken after event ${checkpoint.number}: ${why}`)
    this.checkpoint = checkpoint
  }
}

/**
 * The feed as something to iterate over: every event exactly once and in order, each proven to follow the one
 * before by its hash. What webhooks missed, or brought twice or out of order, is healed by reading this instead.
 *
 * The checkpoint is saved when the next event is asked for, so a program that ends in the middle of one gets that
 * one again. A lost connection is waited out by the client it came from; beyond that, iterate anew.
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

  /** Looks for more at once: call it when a webhook comes. */
  nudge(): void {
    this.#wake?.()
  }

  /**
   * @throws {FeedGapError} where events are gone and nobody wants to be told; {@link FeedBrokenError}; what
   * reading the feed throws.
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
        await prove(at, event)
        at = { number: event.number, hash: event.hash }
        yield readEvent(event)
        await store?.save(at)
      }
      if (events.length > 0) continue
      if (last > at.number) throw new FeedBrokenError(at, `it has ${last} events but does not return them`)
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

/** An event of the feed with what was sent read. */
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

/**
 * Whether an event follows what was read before, by its number and its hash.
 *
 * @throws {FeedBrokenError} where it does not.
 */
export async function prove(at: Checkpoint, event: FeedEvent): Promise<void> {
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
