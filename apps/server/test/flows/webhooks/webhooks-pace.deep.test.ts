import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import {
  enqueueMessage,
  makeWebhookMerchant,
  startWebhookReceiver,
  until,
} from '../../support/api/webhooks.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { waitedForProcessorMs } from '../../support/programs/waited-for-processor.ts'
import { startWebhookProcess } from './webhook-process.ts'

const database = perFile(makeTestDatabase)
const receiver = perFile(startWebhookReceiver)
const process = perFile(() => startWebhookProcess(database))

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
    await enqueueMessage(database.pool, systemClock, merchant, { url: `${receiver.url}/steady` })
    const committedAt = Date.now()
    const waited = waitedForProcessorMs()
    process.nudge()
    await until(realTime, () => receiver.received.length === i + 1, 'the attempt')
    const { at } = receiver.received[i] ?? { at: Number.POSITIVE_INFINITY }
    delays.push(at - committedAt - (waitedForProcessorMs() - waited))
  }
  expect(Math.max(...delays)).toBeLessThan(1_000)

  for (const [i, merchant] of merchants.entries())
    await enqueueMessage(database.pool, systemClock, merchant, {
      url: `${receiver.url}/${i}`,
      subject: 'R-2',
    })
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
