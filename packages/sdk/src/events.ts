import type { FollowedEvent } from './event-feed.ts'
import { EventFeed, type FollowOptions } from './event-feed.ts'
import { type StreamOptions, streamEvents } from './event-stream.ts'
import type { CallOptions, Transport } from './transport.ts'
import type { FeedPage } from './wire.ts'

/** The feed of all events, numbered and chained by hashes: scope `receipts:read`. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** A page of the feed as it is, oldest first: events with a number above `after`. */
  list(
    { after, limit }: { readonly after?: number | undefined; readonly limit?: number | undefined } = {},
    options?: CallOptions,
  ): Promise<FeedPage> {
    return this.#transport.call({ method: 'GET', path: '/api/events', query: { after, limit } }, options)
  }

  /**
   * Every event exactly once and in order, from a checkpoint on, and then on as they come. See {@link EventFeed}.
   *
   * @example
   * for await (const entry of sluice.events.follow({ checkpoint: store })) {
   *   await book(entry.event)
   * }
   */
  follow(options: FollowOptions = {}): EventFeed {
    return new EventFeed((after, signal) => this.list({ after, limit: 200 }, { signal }), options)
  }

  /**
   * Every event as soon as it happens, over one open connection that is opened anew where it ends. Begins with what
   * happens from now on, or after an event; {@link follow} keeps a checkpoint and heals gaps.
   *
   * @example
   * for await (const { event } of sluice.events.stream()) console.log(event.receiptId, event.status)
   */
  stream(options: StreamOptions = {}): AsyncGenerator<FollowedEvent, void, undefined> {
    const path = '/api/events/stream'
    return streamEvents(
      (after, signal) => this.#transport.open({ method: 'GET', path, after }, { signal }),
      options,
    )
  }
}
