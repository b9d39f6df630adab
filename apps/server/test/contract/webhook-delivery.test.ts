import type { DeliveryView } from '@sluice/protocol/api/webhooks.ts'
import { describeFailure } from '@sluice/protocol/failures.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { type Received, startNotifiedApi, until } from '../support/api/webhooks.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startNotifiedApi)
const production = perFile(() => startMerchantApi({ beside: context, isProduction: true }))
const failure = describeFailure('PORTAL_PAY_CARD_EXPIRED')

beforeAll(() => context.addSplit(context.merchant.wallet))
beforeEach(() => {
  context.receiver.behave = () => 200
})

const reported = () => context.newReceipt({ webhook_url: `${context.receiver.url}/hook` })
const pay = (id: string) => context.takeForPaid(id)
const paid = async () => {
  const id = await reported()
  await pay(id)
  return id
}
const bodyOf = ({ body }: Received) => JSON.parse(body.toString())
const keyOf = ({ headers }: Received) => headers['x-service-idempotency-key']
async function attempts(id: string, count: number) {
  const list = async (): Promise<DeliveryView['attempts']> => {
    const path = `/api/webhooks/deliveries?receiptId=${encodeURIComponent(id)}`
    const { deliveries } = (await context.get(path)).body as { deliveries: DeliveryView[] }
    return deliveries.flatMap((each) => each.attempts).toSorted((a, b) => a.startedAt - b.startedAt)
  }
  context.nudge()
  await until(context.clock, async () => (await list()).length >= count, `${count} attempts`)
  return list()
}
/** Advances the clock in steps, so that every timer runs. Returns the receipt's webhooks. */
async function after(id: string, ms: number, count: number): Promise<Received[]> {
  await context.clock.advance(ms)
  return context.received(id, count)
}

row('event.delivery', 'sends each change to the webhook_url, and nothing without a webhook_url', async () => {
  const id = await reported()
  const silent = await context.newReceipt()
  await pay(silent)
  await pay(id)
  const [first] = await context.received(id, 1)
  expect([first?.path, first && bodyOf(first).status]).toEqual(['/hook', 'paid'])
  const body = { receiptId: id, wallet: context.merchant.wallet, status: 'refund_requested' }
  expect((await context.postAsOwner('/api/receipts/status', body)).status).toBe(200)
  const both = await context.received(id, 2)
  expect(both.map((each) => bodyOf(each).status)).toEqual(['paid', 'refund_requested'])
  expect(context.receiver.received.map((each) => bodyOf(each).receiptId)).not.toContain(silent)
})

row('event.https', 'is required only in production', async () => {
  const body = (webhook_url: string) => receiptBody(`hooked-${webhook_url.length}`, 3.5, { webhook_url })
  const plain = body('http://shop.example.com/h')
  expectError(await production.post('/api/receipts', plain), 400, 'invalid_input')
  expect((await context.post('/api/receipts', plain)).status).toBe(201)
  const good = body('https://shop.example.com/hook')
  expect((await production.post('/api/receipts', good, { key: context.merchant.key })).status).toBe(201)
})

row('event.localhost', 'is rejected in production, in every notation', async () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST.', '2130706433']) {
    const body = receiptBody('local', 3.5, { webhook_url: `https://${host}/hook` })
    expectError(await production.post('/api/receipts', body), 400, 'invalid_input', host)
  }
})

row('event.2xx', 'any 2xx status marks the event as delivered and stops retries', async () => {
  for (const status of [200, 204, 299]) {
    context.receiver.behave = () => status
    const id = await paid()
    expect(await attempts(id, 1)).toMatchObject([{ status, error: null }])
    await context.clock.advance(3_600_000)
    expect(await context.received(id, 1)).toHaveLength(1)
  }
})

test('an answer counts by its status, whatever becomes of the rest of it', async () => {
  for (const behaviour of ['broken', 'wordy', 'huge'] as const) {
    context.receiver.behave = () => behaviour
    const id = await paid()
    expect(await attempts(id, 1), behaviour).toMatchObject([{ status: 200, error: null }])
    await context.clock.advance(3_600_000)
    expect(await context.received(id, 1), behaviour).toHaveLength(1)
  }
})

row('event.twice', 'has the same key and body each time', async () => {
  let answered = 0
  context.receiver.behave = () => (answered++ === 0 ? 'close' : 200)
  const id = await paid()
  await attempts(id, 1)
  const [first, second] = await after(id, 5_000, 2)
  expect(second && keyOf(second)).toBe(first && keyOf(first))
  expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true)
})

row('retry.timeout', 'ends an attempt after five seconds', async () => {
  context.receiver.behave = () => 'hang'
  const id = await paid()
  await context.received(id, 1)
  await context.clock.advance(4_999)
  expect(await attempts(id, 0)).toEqual([])
  await context.clock.advance(1)
  expect(await attempts(id, 1)).toMatchObject([{ status: null, error: 'timeout' }])
})

row('retry.once', 'starts exactly five seconds after the first attempt fails', async () => {
  context.receiver.behave = () => 503
  const id = await paid()
  const [first] = await attempts(id, 1)
  await context.clock.advance(4_999)
  expect(await context.received(id, 1)).toHaveLength(1)
  await after(id, 1, 2)
  const [, second] = await attempts(id, 2)
  expect((second?.startedAt ?? 0) - (first?.startedAt ?? 0)).toBe(5_000)
  await context.clock.advance(30_000)
  expect(await context.received(id, 2)).toHaveLength(2)
})

row('retry.conditions', 'retries after a non-2xx response, a broken connection or a timeout', async () => {
  for (const behaviour of [500, 404, 301, 'close'] as const) {
    context.receiver.behave = () => behaviour
    const id = await paid()
    await attempts(id, 1)
    expect(await after(id, 5_000, 2), `${behaviour}`).toHaveLength(2)
    await attempts(id, 2)
  }
  context.receiver.behave = () => 'hang'
  const id = await paid()
  await context.received(id, 1)
  await context.clock.advance(5_000)
  await attempts(id, 1)
  context.receiver.behave = () => 200
  expect(await after(id, 5_000, 2)).toHaveLength(2)
})

row('retry.reconciliation', 'sends the current status later, in a new cycle with the same key', async () => {
  context.receiver.behave = () => 500
  const id = await paid()
  await attempts(id, 1)
  await after(id, 5_000, 2)
  await attempts(id, 2)
  expect((await context.detail(id)).timeline.at(-1)).toMatchObject({ kind: 'webhook_attempt' })
  context.receiver.behave = () => 200
  const [first, , third] = await after(id, 60_000, 3)
  expect(third && bodyOf(third).status).toBe('paid')
  expect(third && keyOf(third)).toBe(first && keyOf(first))
  expect(third?.headers['x-service-delivery']).not.toBe(first?.headers['x-service-delivery'])
})

row('retry.coalesced', 'replaces a superseded event with the newer status', async () => {
  context.receiver.behave = () => 500
  const id = await context.newFailedReceipt({ webhook_url: `${context.receiver.url}/hook` })
  await attempts(id, 1)
  await after(id, 5_000, 2)
  await attempts(id, 2)
  context.receiver.behave = () => 200
  await pay(id)
  await context.received(id, 3)
  await context.clock.advance(86_400_000)
  const all = (await context.received(id, 3)).map((each) => bodyOf(each).status)
  expect(all).toEqual(['failed', 'failed', 'paid'])
})

row('retry.no-reversal', 'a late failure does not change a payment', async () => {
  const id = await paid()
  await context.received(id, 1)
  await context.move(id, 'failure_verified', { failure })
  await context.clock.advance(60_000)
  expect((await context.detail(id)).status).toBe('paid')
  expect(await context.received(id, 1)).toHaveLength(1)
})

row('limit.webhook-timeout', 'is 5 seconds without a response', async () => {
  context.receiver.behave = () => 'hang'
  const id = await paid()
  await context.received(id, 1)
  await context.clock.advance(5_000)
  expect(await attempts(id, 1)).toMatchObject([{ error: 'timeout', durationMs: 5_000 }])
})

row('limit.webhook-retries', 'is one retry after 5 seconds: two attempts in the first minute', async () => {
  context.receiver.behave = () => 500
  const id = await paid()
  await attempts(id, 1)
  await after(id, 5_000, 2)
  await attempts(id, 2)
  await context.clock.advance(54_000)
  expect(await context.received(id, 2)).toHaveLength(2)
})
