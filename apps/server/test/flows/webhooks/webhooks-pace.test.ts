import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import { makeTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'
import { waitedForProcessorMs } from '../../support/programs/waited-for-processor.ts'
import {
  makeWebhookMerchant,
  oweNotice,
  startWebhookProcess,
  until,
  type WebhookProcess,
} from '../../support/webhooks/webhook-process.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts'

let database: TestDatabase
let process: WebhookProcess
let receiver: WebhookReceiver

beforeAll(async () => {
  database = await makeTestDatabase()
  receiver = await startWebhookReceiver()
  process = startWebhookProcess(database.pool, systemClock, 'pace')
})

afterAll(async () => {
  await process?.stop()
  await receiver?.close()
  await database?.drop()
})

const realTime = { advance: async () => {} }

test('by the real clock, a first attempt follows within a second and a second one after five', async () => {
  const failing = new Set<string>()
  receiver.behave = ({ path }) => {
    if (path === '/steady' || failing.has(path)) return 200
    failing.add(path)
    return 500
  }
  const merchants = Array.from({ length: 25 }, makeWebhookMerchant)
  const delays: number[] = []
  for (const [i, merchant] of merchants.entries()) {
    await oweNotice(database.pool, systemClock, merchant, { url: `${receiver.url}/steady` })
    const committedAt = Date.now()
    const waited = waitedForProcessorMs()
    process.nudge()
    await until(realTime, () => receiver.received.length === i + 1, 'the attempt')
    delays.push(
      (receiver.received[i]?.at ?? Number.POSITIVE_INFINITY) -
        committedAt -
        (waitedForProcessorMs() - waited),
    )
  }
  expect(Math.max(...delays)).toBeLessThan(1_000)

  for (const [i, merchant] of merchants.entries())
    await oweNotice(database.pool, systemClock, merchant, { url: `${receiver.url}/${i}`, subject: 'R-2' })
  const waited = waitedForProcessorMs()
  process.nudge()
  await until(realTime, () => receiver.received.length === 75, 'the second attempts')
  for (const i of merchants.keys()) {
    const [first, second] = receiver.received.filter(({ path }) => path === `/${i}`).map(({ at }) => at)
    const gap = (second ?? 0) - (first ?? 0)
    expect(gap).toBeGreaterThanOrEqual(4_500)
    expect(gap).toBeLessThanOrEqual(5_500 + waitedForProcessorMs() - waited)
  }
})
