import { EventFeed, type FollowOptions } from './event-feed.ts'
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
}
