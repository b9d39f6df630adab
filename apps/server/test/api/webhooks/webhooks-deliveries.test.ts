import { beforeEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { TriggerKind } from '../../../src/receipts/status.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { makeReceipt, readReceipt, receiptBody } from '../../support/api/receipts.ts'
import { logIn, logInAs, type TestSession } from '../../support/api/sessions.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { delivering, startWebhookReceiver, until } from '../../support/api/webhooks.ts'
import { perFile } from '../../support/per-file.ts'

const receiver = perFile(startWebhookReceiver)
const api = perFile(() => startApi(delivering))
let merchant: TestMerchant
let owner: TestSession

beforeEach(async () => {
  receiver.behave = () => 200
  merchant = await api.addMerchant()
  owner = await logIn(api, merchant)
})

const list = (query = '', key = merchant.key) => api.call('GET', `/api/webhooks/deliveries${query}`, { key })
const redeliver = (id: string, session = owner) =>
  api.call('POST', `/api/webhooks/deliveries/${id}/redeliver`, { session, body: {} })

const make = (id: string) =>
  makeReceipt(api, merchant, receiptBody(id, 2, { webhook_url: `${receiver.url}/${merchant.wallet}` }))

async function change(id: string, kind: TriggerKind): Promise<void> {
  await api.clock.advance(1)
  await api.move(merchant.wallet, id, kind)
  api.nudge(jobNames.deliverWebhooks)
}

const seen = () => receiver.received.filter(({ path }) => path === `/${merchant.wallet}`)

async function settle(attempts: number): Promise<void> {
  await until(api.clock, () => seen().length === attempts, `${attempts} attempts`)
  const isWritten = async () => {
    const deliveries: { attemptCount: number }[] = (await list()).body.deliveries
    return deliveries.reduce((sum, { attemptCount }) => sum + attemptCount, 0) === attempts
  }
  await until(api.clock, isWritten, 'the attempts in the log')
}

async function deliver(id: string): Promise<void> {
  await make(id)
  await change(id, 'payment_verified')
  await settle(1)
}

describe('GET /api/webhooks/deliveries', () => {
  test('it lists each delivery with its attempts, codes and times, and nothing the receiver wrote', async () => {
    await deliver('r1')
    const { status, body, text } = await list()
    expect(status).toBe(200)
    expect(body).toEqual({
      nextCursor: null,
      deliveries: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          receiptId: 'r1',
          url: `${receiver.url}/${merchant.wallet}`,
          event: 'receipt.status_updated',
          idempotencyKey: 'receipt-status:r1:paid:none',
          sequence: 2,
          state: 'delivered',
          supersededBy: null,
          createdAt: expect.any(Number),
          settledAt: expect.any(Number),
          nextAttemptAt: null,
          attemptCount: 1,
          attempts: [
            {
              attempt: 1,
              deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
              startedAt: expect.any(Number),
              durationMs: expect.any(Number),
              status: 200,
              error: null,
            },
          ],
        },
      ],
    })
    expect(text).not.toContain('"ok"')
  })

  test('newest first, by page, by receipt and by state', async () => {
    for (const id of ['a', 'b', 'c']) {
      await make(id)
      await change(id, 'payment_verified')
    }
    await settle(3)
    receiver.behave = () => 500
    await change('c', 'funds_distributed')
    await settle(4)
    const ids = ({ deliveries }: { deliveries: { receiptId: string }[] }) =>
      deliveries.map(({ receiptId }) => receiptId)
    const first = (await list('?limit=3')).body
    expect(ids(first)).toEqual(['c', 'c', 'b'])
    expect(ids((await list(`?limit=3&cursor=${first.nextCursor}`)).body)).toEqual(['a'])
    expect(ids((await list('?receiptId=b')).body)).toEqual(['b'])
    expect(ids((await list('?state=pending')).body)).toEqual(['c'])
    expect((await list('?state=pending')).body.deliveries[0].attempts[0].status).toBe(500)
  })

  const badQueries = ['limit=0', 'limit=201', 'state=unknown', 'cursor=nonsense']
  test.each(badQueries)('%s is invalid_input', async (query) => {
    expectApiError(await list(`?${query}`), 400, 'invalid_input')
  })

  test("another merchant's deliveries are not in it", async () => {
    await deliver('secret')
    const other = await api.addMerchant()
    expect((await list('', other.key)).body).toEqual({ deliveries: [], nextCursor: null })
  })
})

describe('GET /api/webhooks/deliveries/{id}', () => {
  const show = (id: string, session = owner) => api.call('GET', `/api/webhooks/deliveries/${id}`, { session })

  test('it shows the very body and headers that the receiver got, signatures included', async () => {
    await deliver('r1')
    const [{ id }] = (await list()).body.deliveries
    const { status, body } = await show(id)
    expect(status).toBe(200)
    const got = seen()[0]
    expect(body.request.body).toBe(got?.body.toString())
    expect(body.request.url).toBe(`${receiver.url}/${merchant.wallet}`)
    const sent = Object.entries(body.request.headers).map(([name, value]) => [name.toLowerCase(), value])
    expect(got?.headers).toMatchObject(Object.fromEntries(sent))
    expect(Object.fromEntries(sent)).toHaveProperty('x-service-signature')
    expect(body.delivery.id).toBe(id)
  })

  test("is for who may work with deliveries, and another merchant's is not found", async () => {
    await deliver('r1')
    const [{ id }] = (await list()).body.deliveries
    for (const role of ['viewer', 'cashier'] as const)
      expect((await show(id, await logInAs(api, merchant.wallet, role))).status).toBe(403)
    expect((await show(id, await logInAs(api, merchant.wallet, 'developer'))).status).toBe(200)
    expectApiError(await show(id, await logIn(api, await api.addMerchant())), 404, 'not_found')
  })
})

describe('POST /api/webhooks/deliveries/{id}/redeliver', () => {
  test('what was delivered goes once more: same body and idempotency key, a delivery id of its own', async () => {
    await deliver('again')
    const { id } = (await list()).body.deliveries[0]
    const response = await redeliver(id)
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ ok: true, delivery: { id, state: 'pending' } })
    api.nudge(jobNames.deliverWebhooks)
    await settle(2)
    const [first, second] = seen()
    expect(second?.body).toEqual(first?.body)
    expect(second?.headers['x-service-idempotency-key']).toBe(first?.headers['x-service-idempotency-key'])
    expect(second?.headers['x-service-delivery']).not.toBe(first?.headers['x-service-delivery'])
    expect((await list()).body.deliveries[0]).toMatchObject({ state: 'delivered', attemptCount: 2 })
  })

  test('an older notification goes even where a newer one exists', async () => {
    await deliver('older')
    await change('older', 'funds_distributed')
    await settle(2)
    const [, older] = (await list()).body.deliveries
    await redeliver(older.id)
    api.nudge(jobNames.deliverWebhooks)
    await settle(3)
    expect(JSON.parse(String(seen().at(-1)?.body)).status).toBe('paid')
  })

  test('one that fails again is left to the newer one, or else to the schedule', async () => {
    await deliver('fails')
    receiver.behave = () => 503
    const { id } = (await list()).body.deliveries[0]
    await redeliver(id)
    api.nudge(jobNames.deliverWebhooks)
    await settle(2)
    const [delivery] = (await list()).body.deliveries
    expect(delivery.state).toBe('pending')
    expect(delivery.nextAttemptAt).toBeGreaterThan(api.clock.now())
  })

  test('an unknown id and that of another merchant are the same 404', async () => {
    await deliver('mine')
    const { id } = (await list()).body.deliveries[0]
    const stranger = await logIn(api, await api.addMerchant())
    const foreign = await redeliver(id, stranger)
    const absent = await redeliver('00000000-0000-4000-8000-000000000000', stranger)
    expect([foreign.status, foreign.text]).toEqual([404, absent.text])
  })

  test('a key, a viewer and a cashier may not; a developer may', async () => {
    await deliver('roles')
    const { id } = (await list()).body.deliveries[0]
    const path = `/api/webhooks/deliveries/${id}/redeliver`
    expect((await api.call('POST', path, { key: merchant.key, body: {} })).status).toBe(403)
    for (const role of ['viewer', 'cashier'] as const)
      expect((await redeliver(id, await logInAs(api, merchant.wallet, role))).status).toBe(403)
    expect((await redeliver(id, await logInAs(api, merchant.wallet, 'developer'))).status).toBe(200)
  })
})

test('the timeline of a receipt has each attempt to tell of it', async () => {
  await make('timeline')
  receiver.behave = () => 500
  await change('timeline', 'payment_verified')
  await settle(1)
  const { timeline } = await readReceipt(api, merchant, 'timeline')
  const kinds = timeline.map((entry: { kind: string }) => entry.kind)
  expect(kinds).toEqual(['created', 'status', 'webhook_attempt'])
  expect(timeline[2].detail).toMatchObject({
    idempotencyKey: 'receipt-status:timeline:paid:none',
    attempt: 1,
    status: 500,
    error: null,
  })
})

describe('GET /api/webhooks/deliveries/{id}', () => {
  test('shows what was sent and answered in each attempt, bounded whatever the receiver wrote', async () => {
    await deliver('exchanged')
    const { id } = (await list('?receiptId=exchanged&event=receipt.status_updated')).body.deliveries[0]
    const { status, body } = await api.call('GET', `/api/webhooks/deliveries/${id}`, { session: owner })
    expect(status).toBe(200)
    const [exchange] = body.exchanges
    // The stored exchange contains the headers that were sent.
    expect(exchange.requestHeaders).toEqual(body.request.headers)
    expect(exchange.responseHeaders).toHaveProperty('date')
    expect(Buffer.byteLength(exchange.responseBody)).toBeLessThanOrEqual(4_096)
  })

  test('another kind of event is refused', async () => {
    expect((await list('?event=receipt.created')).status).toBe(400)
  })
})
