import { expect, onTestFinished, test } from 'vitest'
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

/** Returns the milliseconds from each commit to the first attempt, without waits for a CPU. */
async function measureFirstAttempts(
  merchants: readonly ReturnType<typeof makeWebhookMerchant>[],
): Promise<number[]> {
  const delays: number[] = []
  const before = receiver.received.length
  for (const [i, merchant] of merchants.entries()) {
    await enqueueMessage(database.pool, systemClock, merchant, { url: `${receiver.url}/steady` })
    const committedAt = Date.now()
    const waited = waitedForProcessorMs()
    process.nudge()
    await until(realTime, () => receiver.received.length === before + i + 1, 'the attempt')
    const { at } = receiver.received[before + i] ?? { at: Number.POSITIVE_INFINITY }
    delays.push(at - committedAt - (waitedForProcessorMs() - waited))
  }
  return delays.map(Math.round).sort((a, b) => a - b)
}

test('by the real clock, a first attempt follows within a second and a second one after five', async () => {
  const failing = new Set<string>()
  receiver.behave = ({ path }) => {
    if (path === '/steady' || failing.has(path)) return 200
    failing.add(path)
    return 500
  }
  const merchants = Array.from({ length: 100 }, makeWebhookMerchant)
  const delays = await measureFirstAttempts(merchants)
  expect(delays.at(-2)).toBeLessThan(1_000)

  for (const [i, merchant] of merchants.entries())
    await enqueueMessage(database.pool, systemClock, merchant, {
      url: `${receiver.url}/${i}`,
      subject: 'R-2',
    })
  const waited = waitedForProcessorMs()
  process.nudge()
  await until(realTime, () => receiver.received.length === 300, 'the second attempts')
  const gaps = [...merchants.keys()].map((i) => {
    const [first, second] = receiver.received.filter(({ path }) => path === `/${i}`).map(({ at }) => at)
    return (second ?? 0) - (first ?? 0)
  })
  const [least, most] = [Math.min(...gaps), Math.max(...gaps)]
  console.log(`first attempts: p99 ${delays.at(-2)} ms; second ones ${least} to ${most} ms after the first`)
  expect(least).toBeGreaterThanOrEqual(4_500)
  expect(most).toBeLessThanOrEqual(5_500 + waitedForProcessorMs() - waited)
})

test('by the real clock, a hundred hanging receivers delay first attempts of other merchants by less than two seconds', async () => {
  const hanging = await Promise.all(Array.from({ length: 100 }, () => startWebhookReceiver()))
  onTestFinished(() => Promise.all(hanging.map((one) => one.close())).then(() => {}))
  for (const one of hanging) {
    one.behave = () => 'hang'
    const merchant = makeWebhookMerchant()
    for (let i = 0; i < 20; i++)
      await enqueueMessage(database.pool, systemClock, merchant, { url: one.url, subject: `R-${i}` })
  }
  process.nudge()
  await until(realTime, () => hanging.every((one) => one.received.length > 0), 'all of them to hang')
  receiver.behave = () => 200
  const delays = await measureFirstAttempts(Array.from({ length: 100 }, makeWebhookMerchant))
  console.log(
    `first attempts next to 100 hanging receivers: p99 ${delays.at(-2)} ms, most ${delays.at(-1)} ms`,
  )
  expect(delays.at(-2)).toBeLessThan(2_000)
})
