import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type Checkpoint,
  EventFeed,
  FeedBrokenError,
  type FeedGap,
  FeedGapError,
  type FollowOptions,
} from './event-feed.ts'
import type { FeedEvent } from './wire.ts'

class TestFeed {
  readonly events: FeedEvent[] = []
  readonly asked: number[] = []
  dropped = 0

  add(count: number): this {
    for (let i = 0; i < count; i++) {
      const number = this.events.length + 1
      const [receiptId, idempotencyKey] = [`r-${number}`, `key-${number}`]
      const previousHash = this.events.at(-1)?.hash ?? '0'.repeat(64)
      const body = JSON.stringify({ receiptId, status: 'paid' })
      const hash = createHash('sha256').update(previousHash).update(body).digest('hex')
      this.events.push({ number, receiptId, idempotencyKey, createdAt: number, previousHash, hash, body })
    }
    return this
  }

  follow(options: FollowOptions = {}): EventFeed {
    return new EventFeed(async (after) => {
      this.asked.push(after)
      const rest = this.events.filter(({ number }) => number > after && number > this.dropped)
      return { events: rest.slice(0, 3), nextCursor: null, last: this.events.length }
    }, options)
  }
}

async function take(feed: EventFeed, count = Number.POSITIVE_INFINITY): Promise<number[]> {
  const numbers: number[] = []
  for await (const { number, event } of feed) {
    expect(event.receiptId).toBe(`r-${number}`)
    numbers.push(number)
    if (numbers.length === count) break
  }
  return numbers
}

function makeStore(at?: Checkpoint) {
  const saved: Checkpoint[] = at ? [at] : []
  return { saved, load: async () => saved.at(-1), save: async (it: Checkpoint) => void saved.push(it) }
}

test('every event of all pages is yielded once and in order', async () => {
  const feed = new TestFeed().add(8)
  expect(await take(feed.follow({ until: 'end' }))).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(feed.asked).toEqual([0, 3, 6, 8])
})

test('it continues at its checkpoint, and verifies that the chain is the same', async () => {
  const feed = new TestFeed().add(5)
  const store = makeStore()
  expect(await take(feed.follow({ checkpoint: store, until: 'end' }))).toEqual([1, 2, 3, 4, 5])
  expect(store.saved.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
  feed.add(2)
  expect(await take(feed.follow({ checkpoint: store, until: 'end' }))).toEqual([6, 7])
  expect(await take(feed.follow({ after: 5, until: 'end' }))).toEqual([6, 7])
  const other = { number: 5, hash: 'f'.repeat(64) }
  await expect(take(feed.follow({ after: other, until: 'end' }))).rejects.toThrow(FeedBrokenError)
})

test('an event whose processing failed is yielded again', async () => {
  const feed = new TestFeed().add(3)
  const store = makeStore()
  await expect(async () => {
    for await (const { number } of feed.follow({ checkpoint: store }))
      if (number === 2) throw new Error('stop')
  }).rejects.toThrow('stop')
  expect(await take(feed.follow({ checkpoint: store, until: 'end' }))).toEqual([2, 3])
})

test('a changed body, hash or number ends the iteration before the event is yielded', async () => {
  const changes: Partial<FeedEvent>[] = [
    { body: '{"receiptId":"r-3","status":"failed"}' },
    { hash: 'a'.repeat(64) },
    { previousHash: 'a'.repeat(64) },
    { number: 2 },
  ]
  for (const change of changes) {
    const feed = new TestFeed().add(4)
    const [, , third] = feed.events
    Object.assign(third ?? {}, change)
    const seen: number[] = []
    await expect(async () => {
      for await (const { number } of feed.follow({ until: 'end' })) seen.push(number)
    }).rejects.toThrow(FeedBrokenError)
    expect(seen).toEqual([1, 2])
  }
})

test('a feed that is shorter than its checkpoint, or hides its end, is broken', async () => {
  const feed = new TestFeed().add(4)
  await expect(take(feed.follow({ after: 9, until: 'end' }))).rejects.toThrow('it ends at 4')
  feed.dropped = 4
  await expect(take(feed.follow({ after: 2, until: 'end' }))).rejects.toThrow('does not return them')
})

test('a gap is an error, or is reported to onGap and skipped', async () => {
  const feed = new TestFeed().add(6)
  feed.dropped = 4
  const error = await take(feed.follow({ after: 2, until: 'end' })).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(FeedGapError)
  expect(error).toMatchObject({ gap: { from: 3, to: 4 } })
  const gaps: FeedGap[] = []
  const onGap = (gap: FeedGap) => void gaps.push(gap)
  expect(await take(feed.follow({ after: 2, until: 'end', onGap }))).toEqual([5, 6])
  expect(gaps).toEqual([{ from: 3, to: 4 }])
})

test('it waits for new events, and a nudge ends the wait', async () => {
  const feed = new TestFeed().add(1)
  const follow = feed.follow({ pollMs: 60_000 })
  const taken = take(follow, 2)
  await expect.poll(() => feed.asked.length).toBe(2)
  feed.add(1)
  const nudged = () => {
    follow.nudge()
    return feed.asked.length
  }
  await expect.poll(nudged).toBeGreaterThan(2)
  expect(await taken).toEqual([1, 2])
})

test('it polls again after pollMs', async () => {
  const feed = new TestFeed().add(1)
  const taken = take(feed.follow({ pollMs: 5 }), 2)
  await expect.poll(() => feed.asked.length).toBeGreaterThan(3)
  feed.add(1)
  expect(await taken).toEqual([1, 2])
})

test('a signal ends it with its reason, also during a wait', async () => {
  const feed = new TestFeed()
  const controller = new AbortController()
  const taken = take(feed.follow({ pollMs: 60_000, signal: controller.signal }))
  await expect.poll(() => feed.asked.length).toBe(1)
  controller.abort(new Error('the shop closes'))
  await expect(taken).rejects.toThrow('the shop closes')
})
