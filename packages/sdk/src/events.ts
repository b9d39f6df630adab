import { EventFeed, type FollowedEvent, type FollowOptions } from './event-feed.ts'
import { type StreamOptions, streamEvents } from './event-stream.ts'
import type { CallOptions } from './options.ts'
import type { List } from './pages.ts'
import type { Transport } from './transport.ts'
import type { EventsQuery, FeedEvent, FeedPage } from './wire.ts'

/** The event feed: all events, numbered and linked by hashes. Scope `receipts:read`. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists events with a number above `after`, oldest first. Does not verify hashes: {@link follow} does. */
  list(query: Omit<EventsQuery, 'cursor'> = {}, options?: CallOptions): List<FeedEvent, FeedPage> {
    return this.#transport.list('/api/events', query, ({ events }) => events, options)
  }

  /**
   * Iterates over every event exactly once and in order, starting at a checkpoint, and waits for new events.
   *
   * @example
   * for await (const entry of sluice.events.follow({ checkpoint: store })) {
   *   await book(entry.event)
   * }
   */
  follow(options: FollowOptions = {}): EventFeed {
    return new EventFeed(
      async (after, signal) => (await this.list({ after, limit: 200 }, { signal })).body,
      options,
    )
  }

  /**
   * Iterates over new events as they happen, over one open connection. Reconnects if the connection ends.
   * Keeps no checkpoint: {@link follow} does.
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
