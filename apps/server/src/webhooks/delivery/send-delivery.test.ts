import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { listen, openOutbound } from '../../../test/support/api/outbound.ts'
import { systemClock } from '../../kernel/clock.ts'
import { systemRandom } from '../../kernel/random.ts'
import { makeLog } from '../../platform/log.ts'
import { apiKeyContext, Secrets } from '../../platform/secrets.ts'
import type { ClaimedDelivery } from '../queued-delivery.ts'
import { sendDelivery } from './send-delivery.ts'

test('a receiver that closes an idle connection as a webhook is sent on it gets no second request in this attempt', async () => {
  const requests: string[] = []
  const answered = new WeakSet<Socket>()
  const port = await listen(
    createServer((socket) => {
      socket.on('data', (data) => {
        requests.push(String(data))
        if (answered.has(socket)) socket.destroy()
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        answered.add(socket)
      })
    }),
  )
  const secrets = new Secrets('a master key of at least 32 signs!', systemRandom)
  const needs = { clock: systemClock, outbound: openOutbound(), secrets, log: makeLog('silent') }
  const send = (id: string) =>
    sendDelivery(needs, makeMessage(secrets, id, port), {
      signal: new AbortController().signal,
      mayStillSend: async () => true,
    })
  expect(await send('1')).toMatchObject({ status: 200 })
  expect(await send('2')).toMatchObject({ status: undefined, error: 'network' })
  expect(requests).toHaveLength(2)
})

function makeMessage(secrets: Secrets, id: string, port: number): ClaimedDelivery {
  const at = systemClock.now()
  return {
    merchant: '0xA',
    id,
    subject: id,
    sequence: 1n,
    brandKey: 'sluice',
    url: `http://127.0.0.1:${port}/`,
    host: `127.0.0.1:${port}`,
    keyId: 'key',
    encryptedKey: secrets.encrypt('sk_test_1', apiKeyContext('0xA', 'key')),
    idempotencyKey: `receipt-status:key-of-${id}`,
    body: '{}',
    deliveryId: id,
    attemptCount: 0,
    cycle: 0,
    createdAt: at,
    dueAt: at,
    claimToken: 'token',
  }
}
