import { webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startApi } from '../../support/api/start-api.ts'
import {
  enqueueMessage,
  makeWebhookMerchant,
  startWebhookReceiver,
  until,
  webhookMasterKey,
} from '../../support/api/webhooks.ts'
import { perFile } from '../../support/per-file.ts'

const running = [jobNames.deliverWebhooks]
const api = perFile(() => startApi({ webhooks: 'sent', masterKey: webhookMasterKey, running }))
const receiver = perFile(startWebhookReceiver)

test('tests of an endpoint that hangs delay no webhook to the same host', async () => {
  receiver.behave = ({ path }) => (path === '/hangs' ? 'hang' : 200)
  const merchants = await Promise.all(Array.from({ length: 4 }, () => api.addMerchant()))
  const url = `${receiver.url}/hangs`
  const tests = merchants.map(({ key }) => api.call('POST', '/api/webhooks/test', { key, body: { url } }))
  await until(api.clock, () => receiver.received.length === 4, 'all four to hang')

  await enqueueMessage(api.database.pool, api.clock, makeWebhookMerchant(), { url: `${receiver.url}/takes` })
  api.nudge(jobNames.deliverWebhooks)
  await until(api.clock, () => receiver.received.some(({ path }) => path === '/takes'), 'the webhook')
  await api.clock.advance(webhookTimeoutMs + 1_000)
  for (const { status, body } of await Promise.all(tests))
    expect([status, body.errors]).toEqual([200, ['no_answer_in_time']])
})
