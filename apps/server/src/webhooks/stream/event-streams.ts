import type { Readable } from 'node:stream'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { KnownCaller } from '../../access/caller.ts'
import { findEnded } from '../../access/guard/find-ended.ts'
import { idsOf } from '../../access/guard/recent-callers.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import { Semaphore } from '../../kernel/turns/semaphore.ts'
import type { Changes } from '../../platform/cache/changes.ts'
import type { Database } from '../../platform/database/database.ts'
import { isDatastoreOutage } from '../../platform/database/degraded.ts'
import type { Log } from '../../platform/log.ts'
import { StateLog } from '../../platform/state-log.ts'
import { findLastNumber, listNumbered } from '../feed/event-store.ts'
import { viewEvent } from '../feed/list-events.ts'
import { numberEvents } from '../feed/number-events.ts'
import { OpenStream } from './open-stream.ts'

type StreamNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly changes: Changes
}

const everyMs = 1_000
/**
 * With this interval, a revoked key or session is detected within a second, including query time, even if no
 * notification arrives.
 */
const checkEveryMs = 800
const hurryMs = 100
const beatEveryMs = 15_000
/** Time budget per feed: with more than 50 feeds, each is read less often than once a second. */
const msPerFeed = 20
const readsAtOnce = 2
const eventsAtOnce = 100

export const streamLimits = { total: 1_000, perMerchant: 20 } as const

type Feed = {
  readonly merchant: Wallet
  readonly streams: Set<OpenStream>
  cancel: Cancel
  isDegraded: boolean
}

/**
 * Open streams of this process, grouped by merchant feed.
 *
 * Reads each feed about once a second, two feeds at a time. Sends nothing to a client that has not read
 * earlier data.
 */
export class EventStreams {
  readonly #needs: StreamNeeds
  readonly #feeds = new Map<Wallet, Feed>()
  readonly #semaphore = new Semaphore(readsAtOnce)
  readonly #states: StateLog
  readonly #streams = new Set<OpenStream>()
  #isCheckDue = false
  #isHearing = false

  constructor(needs: StreamNeeds) {
    this.#needs = needs
    this.#states = new StateLog(needs.log, needs.clock)
  }

  /**
   * Opens a stream of events after `position`, or only new events if `undefined`.
   *
   * The stream ends when the client disconnects or loses access.
   *
   * @throws {ApiError} `rate_limited` if too many streams are open.
   */
  open(caller: KnownCaller, merchant: Wallet, position: bigint | undefined): Readable {
    const { clock } = this.#needs
    const known = this.#feeds.get(merchant)
    if (this.#streams.size >= streamLimits.total || (known?.streams.size ?? 0) >= streamLimits.perMerchant)
      throw new ApiError('rate_limited', 'Too many event streams are open', { resetAt: clock.now() + 60_000 })
    const feed = known ?? { merchant, streams: new Set(), cancel: () => {}, isDegraded: false }
    const stream = new OpenStream(caller, position, clock.now())
    feed.streams.add(stream)
    this.#streams.add(stream)
    this.#hear()
    this.#checkLater()
    stream.body.once('close', () => this.#leave(feed, stream))
    if (!known) {
      this.#feeds.set(merchant, feed)
      this.#round(feed)
    }
    return stream.body
  }

  #hear(): void {
    if (this.#isHearing) return
    this.#isHearing = true
    this.#needs.changes.whenEnded((ended) => {
      const isOfAny = [...this.#streams].some(({ caller }) => idsOf(caller).some((id) => ended.has(id)))
      if (isOfAny) void this.#endRevoked()
    })
  }

  #checkLater(): void {
    if (this.#isCheckDue) return
    this.#isCheckDue = true
    this.#needs.clock.after(checkEveryMs, async () => {
      await this.#endRevoked()
      this.#isCheckDue = false
      if (this.#streams.size > 0) this.#checkLater()
    })
  }

  async #endRevoked(): Promise<void> {
    const readers = [...this.#streams]
    try {
      const ended = await findEnded(this.#needs, new Set(readers.map(({ caller }) => caller)))
      for (const reader of readers) if (ended.has(reader.caller)) reader.end('unauthorized')
      this.#states.end('readers', 'the permissions of streams can be checked again', { calmMs: 10_000 })
    } catch (error) {
      // The stream itself reports an outage to the client.
      if (isDatastoreOutage(error)) return
      const message = 'the permissions of streams cannot be checked'
      this.#states.say('readers', String(error), 'warn', { err: error }, message)
    }
  }

  #leave(feed: Feed, stream: OpenStream): void {
    if (!feed.streams.delete(stream)) return
    this.#streams.delete(stream)
    if (feed.streams.size > 0) return
    feed.cancel()
    if (this.#feeds.get(feed.merchant) === feed) this.#feeds.delete(feed.merchant)
  }

  #round(feed: Feed): void {
    void this.#semaphore.run(async () => {
      if (feed.streams.size === 0) return
      const isBehind = await this.#follow(feed)
      if (feed.streams.size === 0) return
      const { clock } = this.#needs
      for (const stream of feed.streams) {
        stream.sendDegraded(feed.isDegraded)
        stream.beat(clock.now(), beatEveryMs)
      }
      const pauseMs = isBehind ? hurryMs : Math.max(everyMs, msPerFeed * this.#feeds.size)
      feed.cancel = clock.after(pauseMs, () => this.#round(feed))
    })
  }

  async #follow(feed: Feed): Promise<boolean> {
    try {
      const isBehind = await this.#read(feed)
      feed.isDegraded = false
      this.#states.end('streams', 'feeds can be read again', { calmMs: 10_000 })
      return isBehind
    } catch (error) {
      feed.isDegraded = isDatastoreOutage(error)
      this.#states.say(
        'streams',
        String(error),
        'warn',
        { err: error },
        'the feed of a stream cannot be read',
      )
      return false
    }
  }

  async #read({ merchant, streams }: Feed): Promise<boolean> {
    const { db } = this.#needs
    await numberEvents(db, merchant)
    const last = await findLastNumber(db, merchant)
    for (const stream of streams)
      if (stream.position === undefined || stream.position > last) stream.begin(last)
    const open = [...streams].filter(({ hasRoom, position = last }) => hasRoom && position < last)
    const places = open.map(({ position = last }) => position).toSorted((a, b) => Number(b - a))
    for (const place of new Set([places[0], places.at(-1)])) {
      if (place === undefined) continue
      const events = (await listNumbered(db, merchant, place, eventsAtOnce)).map(viewEvent)
      for (const stream of open) if ((stream.position ?? last) >= place) stream.write(events)
    }
    return [...streams].some(({ hasRoom, position = last }) => hasRoom && position < last)
  }
}
