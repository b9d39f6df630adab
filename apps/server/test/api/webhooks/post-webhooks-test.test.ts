import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
import { verifyBody, verifyStandard } from '@sluice/protocol/webhook-signature.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { logIn, logInAs } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import {
  type Behaviour,
  type Received,
  startWebhookReceiver,
  until,
  type WebhookReceiver,
} from '../../support/api/webhooks.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(() => startApi({ webhooks: 'sent' }))
const merchant = perFile(() => api.addMerchant())
const owner = perFile(() => logIn(api, merchant))
let receiver: WebhookReceiver

beforeEach(async () => {
  receiver = await startWebhookReceiver()
})
afterEach(() => receiver.close())

const testEndpoint = (url: string, caller: object = { session: owner }) =>
  api.call('POST', '/api/webhooks/test', { ...caller, body: { url } })

const header = (received: Received, name: string) => String(received.headers[name])

/** Evaluates a delivery as the guide describes, except for the deliberate `errors`. */
async function evaluate(
  received: Received,
  errors: readonly string[],
  known: Set<string>,
): Promise<Behaviour> {
  const isSigned =
    (await verifyBody(merchant.key, received.body, header(received, 'x-service-signature'))) &&
    (await verifyStandard(
      merchant.key,
      { id: header(received, 'webhook-id'), timestampSeconds: Number(header(received, 'webhook-timestamp')) },
      received.body,
      header(received, 'webhook-signature'),
    ))
  if (!isSigned && !errors.includes('bad_signature_accepted')) return 401
  const age = Math.abs(api.clock.now() - Number(header(received, 'x-service-timestamp')))
  if (age > 300_000 && !errors.includes('stale_time_accepted')) return 400
  const body = JSON.parse(received.body.toString())
  if (errors.includes('unknown_field_refused') && 'addedInAnotherRelease' in body) return 422
  if (errors.includes('out_of_order_refused') && body.status === 'failed') return 409
  const key = header(received, 'x-service-idempotency-key')
  const isKnown = known.has(key)
  known.add(key)
  return isKnown && errors.includes('duplicate_refused') && !('addedInAnotherRelease' in body) ? 409 : 200
}

async function serveEvaluating(errors: readonly string[]): Promise<{ url: string; close(): Promise<void> }> {
  const known = new Set<string>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const received = { at: 0, path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) }
    response.writeHead((await evaluate(received, errors, known)) as number).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async close() {
      server.closeAllConnections()
      await promisify(server.close.bind(server))()
    },
  }
}

describe('200', () => {
  test('a receiver that does all as the guide says passes every check', async () => {
    const good = await serveEvaluating([])
    const { status, body } = await testEndpoint(good.url)
    await good.close()
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: true, url: good.url, errors: [] })
    expect(body.receiptId).toMatch(/^webhook-test-/)
    const names = ['valid_delivery', 'duplicate', 'out_of_order', 'unknown_field', 'bad_signature']
    const checks: { name: string; result: string }[] = body.checks
    expect(checks.map(({ name }) => name)).toEqual([...names, 'stale_time', 'slow_answer'])
    for (const { result } of checks) expect(result).toBe('passed')
  })

  const refusing = ['duplicate_refused', 'out_of_order_refused', 'unknown_field_refused']
  test.each([
    ...refusing,
    'bad_signature_accepted',
    'stale_time_accepted',
  ])('a receiver with the fault %s is told so, with advice', async (error) => {
    const faulty = await serveEvaluating([error])
    const { body } = await testEndpoint(faulty.url)
    await faulty.close()
    expect([body.ok, body.errors]).toEqual([false, [error]])
    const check = body.checks.find((each: { error: string }) => each.error === error)
    expect(check.result).toBe('failed')
    expect(check.advice).toEqual(expect.any(String))
  })

  test('one that takes everything fails exactly where it has to refuse', async () => {
    const { body } = await testEndpoint(receiver.url)
    expect(body.errors).toEqual(['bad_signature_accepted', 'stale_time_accepted'])
  })

  test('where the valid delivery is refused the rest would say nothing and is skipped', async () => {
    receiver.behave = () => 401
    const { body } = await testEndpoint(receiver.url)
    expect(body.errors).toEqual(['valid_delivery_refused'])
    expect(receiver.received).toHaveLength(1)
    expect(body.checks.filter(({ result }: { result: string }) => result === 'skipped')).toHaveLength(5)
  })

  test('an answer that takes more than half of the time is slow', async () => {
    receiver.behave = () => {
      api.clock.jumpTo(api.clock.now() + 3_000)
      return 200
    }
    const { body } = await testEndpoint(receiver.url)
    expect(body.errors).toContain('slow_answer')
  })

  test('redirects are not followed, and a closed connection is unreachable', async () => {
    receiver.behave = () => 'redirect'
    expect((await testEndpoint(receiver.url)).body.errors).toEqual(['redirects'])
    receiver.behave = () => 'close'
    expect((await testEndpoint(receiver.url)).body.errors).toEqual(['unreachable'])
  })

  test('no answer within the time ends the test', async () => {
    receiver.behave = () => 'hang'
    const tested = testEndpoint(receiver.url)
    await until(api.clock, () => receiver.received.length > 0, 'the receiver is asked')
    await api.clock.advance(webhookTimeoutMs + 1_000)
    const { body } = await tested
    expect(body.errors).toEqual(['no_answer_in_time'])
    expect(receiver.received).toHaveLength(1)
  })

  test('what is sent tells of a receipt that does not exist and says that it is a test', async () => {
    await testEndpoint(receiver.url)
    const { receiptId, metadata } = JSON.parse(String(receiver.received[0]?.body))
    expect(metadata).toEqual({ test: true })
    expect((await api.call('GET', `/api/receipts/${receiptId}`, { key: merchant.key })).status).toBe(404)
  })

  test('a key with receipts:write may ask too, and signs it', async () => {
    const { body } = await testEndpoint(receiver.url, { key: merchant.secondaryKey })
    expect(body.checks[0].result).toBe('passed')
    const [first] = receiver.received as [Received]
    const signature = header(first, 'x-service-signature')
    expect(await verifyBody(merchant.secondaryKey, first.body, signature)).toBe(true)
  })

  test('an Idempotency-Key holds no transaction while the receiver takes its time', async () => {
    const headers = { 'idempotency-key': 'once' }
    expect((await testEndpoint(receiver.url, { session: owner, headers })).status).toBe(200)
  })
})

describe('400', () => {
  const noTargets = ['ftp://shop.example.com/', 'https://user:secret@shop.example.com/', 'no url', '']
  test.each(noTargets)('%s is no target', async (url) => {
    expectApiError(await testEndpoint(url), 400, 'invalid_input')
  })
})

describe('429', () => {
  async function hang(callers: readonly object[]) {
    receiver.behave = () => 'hang'
    const tested = callers.map((caller) => testEndpoint(receiver.url, caller))
    await until(api.clock, () => receiver.received.length === callers.length, 'the receiver is asked')
    return async () => {
      await api.clock.advance(webhookTimeoutMs + 1_000)
      return (await Promise.all(tested)).map(({ status }) => status)
    }
  }

  test('one test of a merchant runs at a time, of whichever endpoint', async () => {
    const end = await hang([{ session: owner }])
    const other = await startWebhookReceiver()
    expectApiError(await testEndpoint(other.url), 429, 'rate_limited')
    expect(other.received).toEqual([])
    await other.close()
    expect(await end()).toEqual([200])
    receiver.behave = () => 401
    expect((await testEndpoint(receiver.url)).status).toBe(200)
  })

  test('a host is tested by four merchants at a time', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => api.addMerchant()))
    const [fifth, ...four] = keys.map(({ key }) => ({ key }))
    const end = await hang(four)
    expectApiError(await testEndpoint(receiver.url, fifth), 429, 'rate_limited')
    expect(await end()).toEqual([200, 200, 200, 200])
  })
})

describe('401 and 403', () => {
  test('nobody, a viewer and a key without the scope may not', async () => {
    expect((await testEndpoint(receiver.url, {})).status).toBe(401)
    const viewer = await logInAs(api, merchant.wallet, 'viewer')
    expect((await testEndpoint(receiver.url, { session: viewer })).status).toBe(403)
    const reader = await api.addMerchant({ scopes: ['receipts:read'] })
    expect((await testEndpoint(receiver.url, { key: reader.key })).status).toBe(403)
    expect(receiver.received).toEqual([])
  })

  test('a session without its CSRF token may not', async () => {
    const headers = { cookie: owner.cookie }
    expect((await testEndpoint(receiver.url, { headers })).status).toBe(403)
  })
})
