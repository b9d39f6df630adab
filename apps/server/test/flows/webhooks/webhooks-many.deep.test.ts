import { afterEach, expect, test, vi } from 'vitest'
import { systemRandom } from '../../../src/kernel/random.ts'
import { listDueDeliveries } from '../../../src/webhooks/delivery/due-store.ts'
import { settleAttempt } from '../../../src/webhooks/delivery/settle-attempt.ts'
import { listDeliveries } from '../../../src/webhooks/list-deliveries.ts'
import { claimDeliveries } from '../../../src/webhooks/store.ts'
import {
  enqueueMessage,
  makeWebhookMerchant,
  startWebhookReceiver,
  until,
} from '../../support/api/webhooks.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perCase, perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'
import { findBrokenDeliveries, holdRows, startWebhookProcess } from './webhook-process.ts'

const database = perFile(makeTestDatabase)
const clock = perCase(() => new TestClock())
const receiver = perCase(() => startWebhookReceiver(() => clock.now()))

afterEach(async () => {
  expect(await findBrokenDeliveries(database.pool, clock.now())).toEqual([])
})

const attempt = (status: number) => ({
  startedAt: clock.now(),
  endedAt: clock.now(),
  status,
  error: undefined,
})

async function claimDue(merchants: readonly ReturnType<typeof makeWebhookMerchant>[]) {
  const of = merchants.map(({ wallet }) => wallet)
  const now = clock.now()
  const asked = {
    of,
    now,
    full: { merchants: [], hosts: [] },
    perMerchant: 20,
    limit: 100,
  }
  const due = await listDueDeliveries(database.pool, asked)
  const until = (now + 15_000) as typeof now
  return claimDeliveries(database.pool, due, { now, until, token: 'holder:1' })
}

const retryAll = () => database.pool.run({ name: '', text: 'UPDATE outbox_message SET cycle = 1' })

test('a message of a later cycle whose row somebody holds is not claimed, and no other waits for it', async () => {
  const merchants = Array.from({ length: 3 }, makeWebhookMerchant)
  const [held, ...others] = merchants
  for (const merchant of merchants)
    await enqueueMessage(database.pool, clock, merchant, { url: receiver.url })
  await retryAll()
  const letGo = await holdRows(database.pool, held ? [held] : [])
  const claimed = await claimDue(merchants)
  expect(claimed.map(({ merchant }) => merchant).toSorted()).toEqual(
    others.map(({ wallet }) => wallet).toSorted(),
  )
  await letGo()
  expect((await claimDue(merchants)).map(({ merchant }) => merchant)).toEqual([held?.wallet])
})

test('an attempt of a later cycle whose message somebody holds is written down later, and no other waits for it', async () => {
  const merchants = Array.from({ length: 3 }, makeWebhookMerchant)
  const [held, ...others] = merchants
  for (const merchant of merchants)
    await enqueueMessage(database.pool, clock, merchant, { url: receiver.url })
  await retryAll()
  const claimed = await claimDue(merchants)
  const letGo = await holdRows(database.pool, held ? [held] : [])
  const settled: string[] = []
  const settling = claimed.map(async (message) => {
    await settleAttempt({ db: database.pool, random: systemRandom }, message, attempt(200))
    settled.push(message.merchant)
  })
  await vi.waitFor(() => expect(settled.toSorted()).toEqual(others.map(({ wallet }) => wallet).toSorted()))
  await letGo()
  await Promise.all(settling)
  for (const { wallet } of merchants) {
    const [reported] = await listDeliveries({ db: database.pool }, wallet, 'R-1')
    expect(reported).toMatchObject({ state: 'delivered', attempts: [{ attempt: 1, status: 200 }] })
  }
})

test('a webhook is sent at once however many merchants have had one lately', async () => {
  await database.pool.run({
    name: '',
    text: `INSERT INTO merchant (merchant, name, created_at)
      SELECT '0x' || lpad(to_hex(n), 40, '0'), '', 0 FROM generate_series(1, 5100) AS n`,
  })
  const merchant = { ...makeWebhookMerchant() }
  expect(merchant.wallet > `0x${(5_100).toString(16).padStart(40, '0')}`).toBe(true)
  await enqueueMessage(database.pool, clock, merchant, { url: receiver.url })
  const process = await startWebhookProcess(database, { clock })
  try {
    await until(clock, () => receiver.received.length === 1, 'the webhook, without the clock moving')
    const isDelivered = async () =>
      (await listDeliveries({ db: database.pool }, merchant.wallet, 'R-1'))[0]?.state === 'delivered'
    await until(clock, isDelivered, 'the webhook to be settled')
  } finally {
    await process.stop()
  }
})
