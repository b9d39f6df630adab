import { verifyBody, verifyStandard } from '@sluice/protocol/webhook-signature.ts'
import { afterEach, expect, test } from 'vitest'
import { listDeliveries } from '../../../src/webhooks/list-deliveries.ts'
import {
  type Behaviour,
  enqueueMessage,
  makeWebhookMerchant,
  startWebhookReceiver,
  until,
  type WebhookReceiver,
} from '../../support/api/webhooks.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'
import { findBrokenDeliveries, startWebhookProcess, type WebhookProcess } from './webhook-process.ts'

const database = perFile(makeTestDatabase)
let clock: TestClock
let receiver: WebhookReceiver
let process: WebhookProcess

afterEach(async () => {
  await process?.stop()
  await receiver.close()
  expect(await findBrokenDeliveries(database.pool, clock.now())).toEqual([])
})

async function begin(behave: WebhookReceiver['behave'] = () => 200) {
  clock = new TestClock()
  receiver = await startWebhookReceiver(() => clock.now())
  receiver.behave = behave
  process = await startWebhookProcess(database, { clock })
  const merchant = makeWebhookMerchant()
  const url = `${receiver.url}/hook`
  const owe = async (message: Partial<Parameters<typeof enqueueMessage>[3]> = {}) => {
    const id = await enqueueMessage(database.pool, clock, merchant, { url, ...message })
    process.nudge()
    return id
  }
  const change = (work: (enqueue: () => Promise<string>) => Promise<void>) =>
    database.pool.transaction((tx) =>
      work(() => enqueueMessage(tx, clock, merchant, { url, sequence: 2n, body: '"new"' })),
    )
  const deliveries = (subject = 'R-1') => listDeliveries({ db: database.pool }, merchant.wallet, subject)
  const attempted = async (count: number, subject = 'R-1') => {
    const isSo = async () => (await deliveries(subject)).flatMap(({ attempts }) => attempts).length >= count
    await until(clock, isSo, `${count} attempts`)
    return deliveries(subject)
  }
  return { merchant, owe, change, deliveries, attempted }
}

const header = (index: number, name: string) => String(receiver.received[index]?.headers[name])
const saidOf = (name: string) => new Set(receiver.received.map(({ headers }) => headers[name]))

async function failTwice(attempted: (count: number) => Promise<unknown>) {
  await attempted(1)
  await clock.advance(5_000)
  await attempted(2)
}

test('a message is sent at once, signed both ways over the exact bytes, and is then delivered', async () => {
  const { merchant, owe, attempted } = await begin()
  const body = '{"receiptId":"R-1",  "note":"größer €", "n":1.10}'
  const id = await owe({ body })
  const [delivery] = await attempted(1)
  expect(delivery).toMatchObject({
    id,
    state: 'delivered',
    settledAt: clock.now(),
    nextAt: undefined,
    attempts: [{ attempt: 1, status: 200, error: undefined, startedAt: clock.now() }],
  })

  const [request] = receiver.received
  expect(request?.body.toString()).toBe(body)
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    'x-service-event': 'receipt.status_updated',
    'x-service-delivery': delivery?.attempts[0]?.deliveryId,
    'x-service-idempotency-key': 'receipt-status:R-1:paid:0x1',
    'x-service-timestamp': String(clock.now()),
    'webhook-id': `msg_${id}`,
    'webhook-timestamp': String(Math.floor(clock.now() / 1000)),
  })
  const bytes = request?.body ?? Buffer.of()
  const stamp = { id: `msg_${id}`, timestampSeconds: Math.floor(clock.now() / 1000) }
  const signature = header(0, 'x-service-signature')
  expect(await verifyBody(merchant.apiKey, bytes, signature)).toBe(true)
  expect(await verifyStandard(merchant.apiKey, stamp, bytes, header(0, 'webhook-signature'))).toBe(true)
  expect(await verifyBody(merchant.apiKey, body.replace(' ', ''), signature)).toBe(false)
  await clock.advance(30 * 86_400_000)
  expect(receiver.received).toHaveLength(1)
})

test('a change that is rolled back owes nothing', async () => {
  const { change, deliveries } = await begin()
  const doomed = change(async (enqueue) => {
    await enqueue()
    throw new Error('the change fails')
  })
  await expect(doomed).rejects.toThrow('the change fails')
  expect(await deliveries()).toEqual([])
})

test('the second attempt comes five seconds after the first failed, as the same delivery', async () => {
  const { owe, attempted } = await begin(() => (receiver.received.length === 1 ? 500 : 204))
  await owe()
  const start = clock.now()
  await attempted(1)
  await clock.advance(4_999)
  expect(receiver.received).toHaveLength(1)
  await clock.advance(1)
  const [delivery] = await attempted(2)
  expect(receiver.received.map(({ at }) => at - start)).toEqual([0, 5_000])
  for (const name of ['x-service-delivery', 'x-service-idempotency-key', 'webhook-id'])
    expect(header(1, name)).toBe(header(0, name))
  expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 500 }, { status: 204 }] })
})

test('a receiver that hangs has five seconds for each of the first two attempts', async () => {
  const { owe, attempted } = await begin(() => 'hang')
  await owe()
  const start = clock.now()
  await until(clock, () => receiver.received.length === 1, 'the first request')
  await clock.advance(4_999)
  expect((await attempted(0))[0]?.attempts).toEqual([])
  await clock.advance(1)
  const [first] = await attempted(1)
  expect(first?.attempts).toMatchObject([{ error: 'timeout', status: undefined, durationMs: 5_000 }])
  await clock.advance(5_000)
  await until(clock, () => receiver.received.length === 2, 'the second request')
  expect(receiver.received[1]?.at).toBe(start + 10_000)
  await clock.advance(5_000)
  const [second] = await attempted(2)
  expect(second?.attempts).toMatchObject([{ error: 'timeout' }, { error: 'timeout', durationMs: 5_000 }])
})

test('failures are followed by the schedule to day 10, each cycle under an id of its own, all under one key', async () => {
  const { owe, attempted } = await begin(() => 503)
  await owe()
  const start = clock.now()
  const minutes = 60_000
  const gaps = [5_000, ...[1, 5, 30, 60, 120, 300, 600].map((each) => each * minutes)]
  gaps.push(...Array.from({ length: 9 }, () => 1_440 * minutes))
  let sum = gaps.reduce((total, gap) => total + gap, 0)
  gaps.push(10 * 1_440 * minutes - sum)
  for (const [i, gap] of gaps.entries()) {
    const [delivery] = await attempted(i + 1)
    expect(delivery?.nextAt).toBe(clock.now() + gap)
    await clock.advance(gap)
  }
  const [delivery] = await attempted(gaps.length + 1)
  expect(delivery).toMatchObject({ state: 'exhausted', settledAt: start + 10 * 1_440 * minutes })
  await clock.advance(30 * 1_440 * minutes)

  const times = receiver.received.map(({ at }) => at - start)
  sum = 0
  expect(times).toEqual([0, ...gaps.map((gap) => (sum += gap))])
  expect(times.length).toBeGreaterThanOrEqual(16)
  const ids = receiver.received.map((_, i) => header(i, 'x-service-delivery'))
  expect(ids[0]).toBe(ids[1])
  expect(new Set(ids).size).toBe(ids.length - 1)
  expect(saidOf('x-service-idempotency-key').size).toBe(1)
  expect(saidOf('webhook-id').size).toBe(1)
  expect(saidOf('webhook-signature').size).toBe(times.length)
})

test.each<[Behaviour, number | undefined, string | undefined]>([
  [199 + 101, 300, undefined],
  [404, 404, undefined],
  [410, 410, undefined],
  ['redirect', 302, undefined],
  ['close', undefined, 'network'],
])('an answer of %s is a failure and is not followed', async (behaviour, status, error) => {
  const { owe, attempted } = await begin(() => behaviour)
  await owe()
  const [delivery] = await attempted(1)
  expect(delivery).toMatchObject({ state: 'pending', attempts: [{ status, error }] })
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook'])
})

test('a body that drips on is cut off at five seconds, one that floods at once, and both are delivered', async () => {
  const { owe, attempted, deliveries } = await begin(({ path }) => (path === '/drip' ? 'drip' : 'huge'))
  await owe({ url: `${receiver.url}/drip`, subject: 'R-drip' })
  await owe({ url: `${receiver.url}/flood`, subject: 'R-flood' })
  expect(await attempted(1, 'R-flood')).toMatchObject([{ state: 'delivered', attempts: [{ status: 200 }] }])
  const isCutOff = async () => (await deliveries('R-drip'))[0]?.state !== 'pending'
  await until(clock, isCutOff, 'the attempt', 250)
  expect(await attempted(1, 'R-drip')).toMatchObject([{ state: 'delivered', attempts: [{ status: 200 }] }])
})

test('a newer message takes the place of one that only waits for the schedule', async () => {
  const { owe, attempted, deliveries } = await begin(() => 500)
  const older = await owe({ sequence: 1n })
  await failTwice(attempted)
  receiver.behave = () => 200
  const newer = await owe({ sequence: 2n })
  await attempted(3)
  const superseded = { id: older, state: 'superseded', supersededBy: newer, settledAt: clock.now() }
  expect(await deliveries()).toMatchObject([superseded, { id: newer, state: 'delivered' }])
  await clock.advance(864_000_000)
  expect(receiver.received).toHaveLength(3)
})

test('an older message finishes its first two attempts, and yields to the newer one only then', async () => {
  const { owe, attempted, deliveries } = await begin(({ body }) => (body.includes('old') ? 500 : 200))
  const older = await owe({ sequence: 1n, body: '"old"' })
  await attempted(1)
  const newer = await owe({ sequence: 2n, body: '"new"' })
  await attempted(2)
  expect((await deliveries())[0]).toMatchObject({ id: older, state: 'pending' })
  await clock.advance(5_000)
  await attempted(3)
  const superseded = { id: older, state: 'superseded', supersededBy: newer, attempts: [{}, {}] }
  expect(await deliveries()).toMatchObject([superseded, { id: newer, state: 'delivered' }])
  await clock.advance(864_000_000)
  expect(receiver.received).toHaveLength(3)
})

test('an older message never takes the place of a newer one', async () => {
  const { owe, attempted, deliveries } = await begin(() => 500)
  await owe({ sequence: 7n })
  await failTwice(attempted)
  await owe({ sequence: 6n })
  await attempted(3)
  const states = (await deliveries()).map(({ sequence, state }) => `${sequence} ${state}`)
  expect(states).toEqual(['6 pending', '7 pending'])
})

test('a newer message that was not yet committed when the older one failed still takes its place', async () => {
  const { owe, attempted, deliveries, change } = await begin(({ body }) => (body.includes('old') ? 500 : 200))
  await owe({ sequence: 1n, body: '"old"' })
  await attempted(1)
  const committed = Promise.withResolvers<void>()
  const enqueued = Promise.withResolvers<string>()
  const changing = change(async (enqueueNewer) => {
    enqueued.resolve(await enqueueNewer())
    await committed.promise
  })
  const newer = await enqueued.promise
  await clock.advance(5_000)
  await attempted(2)
  committed.resolve()
  await changing
  expect((await deliveries())[0]).toMatchObject({ state: 'pending', nextAt: clock.now() + 60_000 })
  await clock.advance(60_000)
  const isSettled = async () => (await deliveries()).every(({ state }) => state !== 'pending')
  await until(clock, isSettled, 'both are settled')
  const superseded = { state: 'superseded', supersededBy: newer, attempts: [{}, {}] }
  expect(await deliveries()).toMatchObject([superseded, { id: newer, state: 'delivered' }])
  expect(receiver.received.filter(({ body }) => body.includes('old'))).toHaveLength(2)
})

test('a key that cannot be opened fails the attempts and keeps the message', async () => {
  const { merchant, owe, attempted } = await begin()
  await owe()
  await attempted(1)
  merchant.encryptedKey = `${merchant.encryptedKey.slice(0, -4)}AAAA`
  await owe({ subject: 'R-2' })
  expect(await attempted(1, 'R-2')).toMatchObject([{ state: 'pending', attempts: [{ error: 'no-key' }] }])
})
