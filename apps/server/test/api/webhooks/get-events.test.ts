import { createHash } from 'node:crypto'
import type { EventView } from '@sluice/protocol/api/events.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { changeStatus } from '../../../src/receipts/change-status.ts'
import type { TriggerKind } from '../../../src/receipts/status.ts'
import { numberEvents } from '../../../src/webhooks/feed/number-events.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { makeReceipt, receiptBody } from '../../support/api/receipts.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)

const read = (merchant: TestMerchant, query = '') =>
  api.call('GET', `/api/events${query}`, { key: merchant.key })

const make = (merchant: TestMerchant, id: string, more: object = {}) =>
  makeReceipt(api, merchant, receiptBody(id, 2, more))

const change = (merchant: TestMerchant, id: string, kind: TriggerKind) => api.move(merchant.wallet, id, kind)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function expectChain(events: readonly EventView[], from = 1, before = '0'.repeat(64)): void {
  let previous = before
  for (const [i, event] of events.entries()) {
    expect(event.number).toBe(from + i)
    expect(event.previousHash).toBe(previous)
    expect(event.hash).toBe(sha256(previous + event.body))
    previous = event.hash
  }
}

describe('GET /api/events', () => {
  test('a merchant without notifications has an empty feed', async () => {
    const merchant = await api.addMerchant()
    expect((await read(merchant)).body).toEqual({ events: [], nextCursor: null, last: 0 })
  })

  test('every status change is in the feed, with a webhook URL and without, numbered and chained', async () => {
    const merchant = await api.addMerchant()
    await make(merchant, 'plain')
    await make(merchant, 'hooked', { webhook_url: 'https://shop.example.com/hook' })
    await change(merchant, 'plain', 'payment_verified')
    await change(merchant, 'hooked', 'failure_verified')
    await change(merchant, 'plain', 'funds_distributed')
    const { status, body } = await read(merchant)
    expect(status).toBe(200)
    expect(body.last).toBe(3)
    expect(body.nextCursor).toBeNull()
    expectChain(body.events)
    const reported = body.events.map((event: EventView) => JSON.parse(event.body))
    const changes = reported.map((each: { receiptId: string; status: string }) =>
      [each.receiptId, each.status].join(),
    )
    expect(changes).toEqual(['plain,paid', 'hooked,failed', 'plain,reconciled'])
    expect(body.events[0]).toMatchObject({
      receiptId: 'plain',
      idempotencyKey: 'receipt-status:plain:paid:none',
      createdAt: api.clock.now(),
    })
  })

  test('its body is, sign by sign, the body of the webhook', async () => {
    const merchant = await api.addMerchant()
    const webhook_url = 'https://shop.example.com/h'
    await make(merchant, 'same', { webhook_url, metadata: { note: 'größer €' } })
    await change(merchant, 'same', 'payment_verified')
    const statement = {
      name: 'test-find-message-body',
      text: 'SELECT body FROM outbox_message WHERE merchant = $1',
    }
    const message = await api.database.pool.row<{ body: string }>(statement, [merchant.wallet])
    const { body } = await read(merchant)
    expect(body.events[0].body).toBe(message?.body)
  })

  test('a change that is rolled back leaves neither an event nor a gap', async () => {
    const merchant = await api.addMerchant()
    for (const id of ['a', 'b', 'c']) await make(merchant, id)
    await change(merchant, 'a', 'payment_verified')
    const lost = api.database.pool.transaction(async (tx) => {
      const needs = { ...api.needs, tx }
      await changeStatus(needs, merchant.wallet, 'b' as ReceiptId, { kind: 'payment_verified', detail: {} })
      throw new Error('rolled back')
    })
    await expect(lost).rejects.toThrow('rolled back')
    await change(merchant, 'c', 'payment_verified')
    const { body } = await read(merchant)
    expect(body.events.map((event: EventView) => event.receiptId)).toEqual(['a', 'c'])
    expectChain(body.events)
  })

  test('pages go on after a number, by after or by cursor, without a gap or a repeat', async () => {
    const merchant = await api.addMerchant()
    for (let i = 0; i < 7; i++) {
      await make(merchant, `p${i}`)
      await change(merchant, `p${i}`, 'payment_verified')
    }
    const seen: EventView[] = []
    let cursor: string | null = '0'
    for (let page = 0; cursor !== null; page++) {
      const { body } = await read(merchant, `?limit=3&${page % 2 ? 'cursor' : 'after'}=${cursor}`)
      seen.push(...body.events)
      cursor = body.nextCursor
    }
    expect(seen).toHaveLength(7)
    expectChain(seen)
    expect((await read(merchant, '?after=7')).body).toEqual({ events: [], nextCursor: null, last: 7 })
  })

  test('many changes and many readers at once leave one chain without a gap', async () => {
    const merchant = await api.addMerchant()
    const ids = Array.from({ length: 30 }, (_, i) => `many-${i}`)
    for (const id of ids) await make(merchant, id)
    const readers = Array.from({ length: 10 }, () => read(merchant))
    await Promise.all([
      ...ids.map((id) => change(merchant, id, 'payment_verified')),
      ...Array.from({ length: 5 }, () => numberEvents(api.database.pool, merchant.wallet)),
      ...readers,
    ])
    const { body } = await read(merchant)
    expect(body.events).toHaveLength(30)
    expectChain(body.events)
    for (const reader of readers) {
      const early = (await reader).body.events
      expect(early).toEqual(body.events.slice(0, early.length))
    }
  })

  test('the beginning goes after 30 days; what is left keeps its numbers and its chain', async () => {
    const merchant = await api.addMerchant()
    for (const id of ['old-1', 'old-2', 'new']) await make(merchant, id)
    await change(merchant, 'old-1', 'payment_verified')
    await change(merchant, 'old-2', 'payment_verified')
    await api.run(jobNames.keepFeed)
    const before = (await read(merchant)).body.events
    await api.clock.advance(29 * 86_400_000)
    await api.run(jobNames.keepFeed)
    expect((await read(merchant)).body.events).toHaveLength(2)
    await change(merchant, 'new', 'payment_verified')
    await api.clock.advance(2 * 86_400_000)
    await api.run(jobNames.keepFeed)
    const { body } = await read(merchant)
    expect(body.events.map((event: EventView) => event.number)).toEqual([3])
    expectChain(body.events, 3, before[1].hash)
    expect(body.last).toBe(3)
  })

  const makeChanges = async (merchant: TestMerchant, ids: readonly string[]) => {
    for (const id of ids) {
      await make(merchant, id)
      await change(merchant, id, 'payment_verified')
    }
  }
  const numbersOf = (merchant: TestMerchant) =>
    api.database.pool.rows<EventView>(
      {
        name: 'test-list-numbers',
        text: `SELECT number::int, previous_hash AS "previousHash", hash, body FROM event WHERE merchant = $1 ORDER BY id`,
      },
      [merchant.wallet],
    )
  const alter = (name: string, change: string) =>
    api.database.pool.run({ name, text: `ALTER TABLE event ${change}` })

  test('many merchants are numbered together, each in a chain of its own, and again when there is more', async () => {
    const merchants = await Promise.all([1, 2, 3].map(() => api.addMerchant()))
    for (const round of ['first', 'second']) {
      for (const [i, merchant] of merchants.entries())
        await makeChanges(
          merchant,
          Array.from({ length: i + 1 }, (_, n) => `${round}-${n}`),
        )
      await Promise.all([api.run(jobNames.keepFeed), ...merchants.map((merchant) => read(merchant))])
    }
    for (const [i, merchant] of merchants.entries()) {
      const events = await numbersOf(merchant)
      expect(events).toHaveLength((i + 1) * 2)
      expectChain(events)
    }
  })

  test('merchants with more events than are numbered at once have all of theirs numbered in one round', async () => {
    const counts = [3, 700, 4, 450, 1]
    const merchants = await Promise.all(counts.map(() => api.addMerchant()))
    for (const [i, merchant] of merchants.entries()) {
      await makeChanges(merchant, ['only'])
      await api.database.pool.run(
        {
          name: 'test-copy-events',
          text: `INSERT INTO event (merchant, subject, idempotency_key, body, created_at)
            SELECT merchant, subject, idempotency_key || '-' || n, body || n, created_at
            FROM event, generate_series(2, $2::int) AS n WHERE merchant = $1`,
        },
        [merchant.wallet, counts[i] ?? 0],
      )
    }
    await api.run(jobNames.keepFeed)
    for (const [i, merchant] of merchants.entries()) {
      const events = await numbersOf(merchant)
      expect(events).toHaveLength(counts[i] ?? 0)
      expectChain(events)
    }
  })

  test('an event that cannot be numbered keeps no other merchant from the feed', async () => {
    const [sound, bad, alsoSound] = await Promise.all([1, 2, 3].map(() => api.addMerchant()))
    if (!sound || !bad || !alsoSound) throw new Error('three merchants were added')
    for (const merchant of [sound, bad, alsoSound]) await makeChanges(merchant, ['only'])
    await alter('test-poison', `ADD CONSTRAINT poison CHECK (number IS NULL OR merchant <> '${bad.wallet}')`)
    try {
      await api.run(jobNames.keepFeed)
    } finally {
      await alter('test-cure', 'DROP CONSTRAINT poison')
    }
    const numbered = async (merchant: TestMerchant) => (await numbersOf(merchant)).map(({ number }) => number)
    expect(await numbered(sound)).toEqual([1])
    expect(await numbered(alsoSound)).toEqual([1])
    expect(await numbered(bad)).toEqual([null])
    await api.clock.advance(60_000)
    await api.run(jobNames.keepFeed)
    expect(await numbered(bad)).toEqual([1])
  })

  test('the feed of one merchant shows nothing of another', async () => {
    const [mine, other] = [await api.addMerchant(), await api.addMerchant()]
    await make(mine, 'secret')
    await change(mine, 'secret', 'payment_verified')
    expect((await read(other)).body).toEqual({ events: [], nextCursor: null, last: 0 })
  })

  const badQueries = ['after=-1', 'after=x', 'after=', 'limit=0', 'limit=201', 'after=1&cursor=2']
  test.each([...badQueries, 'after=1&after=1'])('%s is invalid_input', async (query) => {
    const merchant = await api.addMerchant()
    expectApiError(await read(merchant, `?${query}`), 400, 'invalid_input')
  })

  test('it needs the scope receipts:read', async () => {
    const writer = await api.addMerchant({ scopes: ['receipts:write'] })
    expect((await read(writer)).status).toBe(403)
    expect((await api.call('GET', '/api/events')).status).toBe(401)
  })
})
