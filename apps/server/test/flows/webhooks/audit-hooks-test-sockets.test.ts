import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import { testReceiver } from '../../../src/webhooks/grader/test-receiver.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perCase, perFile } from '../../support/per-file.ts'
import { startWebhookReceiver } from '../../support/webhooks/webhook-receiver.ts'
import { webhookTimeoutMs } from '@sluice/protocol/webhook.ts'

test('four tests of a path that hangs do not fail a delivery to the same host', async () => {
  const receiver = await startWebhookReceiver()
  receiver.behave = ({ path }) => (path === '/hang' ? 'hang' : 200)
  const outbound = new HttpOutbound({ clock: systemClock }, { targets: 'any', allowHttp: true })
  const target = { url: `${receiver.url}/hang`, merchant: '0x1', apiKey: 'sk_test_x', brandKey: 'service' } as never
  const tests = [1, 2, 3, 4].map(() => testReceiver({ clock: systemClock, random: systemRandom, outbound }, target))
  await new Promise((r) => setTimeout(r, 200))
  const outcome = await outbound.request({ method: 'POST', url: `${receiver.url}/ok`, body: '{}', timeoutMs: webhookTimeoutMs, maxResponseBytes: 1000 })
  console.log(outcome, receiver.received.map(({ path }) => path))
  await outbound.close()
  await Promise.all(tests)
  await receiver.close()
  expect(outcome.kind).toBe('answer')
}, 30_000)
