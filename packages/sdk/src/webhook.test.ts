import { createHmac } from 'node:crypto'
import type { WebhookBody } from '@sluice/protocol/api/webhook-body.ts'
import { expect, test } from 'vitest'
import { Sluice } from './sluice.ts'
import { verifyWebhook, type WebhookEvent, type WebhookRules, WebhookVerificationError } from './webhook.ts'

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** Optional fields may be `undefined`, for compilers without `exactOptionalPropertyTypes`. */
type Loose<T> = { [Field in keyof T]: object extends Pick<T, Field> ? T[Field] | undefined : T[Field] }

const key = 'sk_test_primary'
const now = 1_700_000_000_000
const body = JSON.stringify({
  event: 'receipt.status_updated',
  idempotencyKey: 'receipt-status:order-1:paid:0x1',
  receiptId: 'order-1',
  status: 'paid',
  metadata: { note: 'Grüße' },
})

function sign(apiKey: string, text = body, sentAt = now): Record<string, string> {
  const seconds = String(Math.floor(sentAt / 1000))
  const mac = (content: string) => createHmac('sha256', apiKey).update(content)
  return {
    'X-Service-Signature': `sha256=${mac(text).digest('hex')}`,
    'X-Service-Event': 'receipt.status_updated',
    'X-Service-Idempotency-Key': 'receipt-status:order-1:paid:0x1',
    'webhook-id': 'msg_1',
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${mac(`msg_1.${seconds}.${text}`).digest('base64')}`,
  }
}

const rules: WebhookRules = { keys: key, now: () => now }
const evaluate = (headers: Record<string, string>, more: Partial<WebhookRules> = {}, text = body) =>
  verifyWebhook(Buffer.from(text), headers, { ...rules, ...more }).then(
    (event) => event.receiptId,
    (error: WebhookVerificationError) => error.reason,
  )

test('an event has the fields that the service sends', () => {
  const isSame: Same<WebhookEvent, Loose<WebhookBody>> = true
  const hasSameFields: Same<keyof WebhookEvent, keyof WebhookBody> = true
  expect([isSame, hasSameFields]).toEqual([true, true])
})

test('a genuine delivery returns its event, with headers of fetch and of Node', async () => {
  expect(await evaluate(sign(key))).toBe('order-1')
  const lowered = Object.fromEntries(Object.entries(sign(key)).map(([name, it]) => [name.toLowerCase(), it]))
  expect(await evaluate(lowered)).toBe('order-1')
  expect(await verifyWebhook(body, new Headers(sign(key)), rules)).toMatchObject({ status: 'paid' })
})

test('header values may be arrays, and a repeated signature is rejected', async () => {
  const arrays = Object.fromEntries(Object.entries(sign(key)).map(([name, value]) => [name, [value]]))
  expect(await verifyWebhook(body, arrays, rules)).toMatchObject({ receiptId: 'order-1' })
  const { 'X-Service-Signature': signature = '' } = sign(key)
  const repeated = { ...sign(key), 'X-Service-Signature': [signature, signature] }
  await expect(verifyWebhook(body, repeated, rules)).rejects.toMatchObject({ reason: 'wrong-signature' })
})

test('a client verifies with its own key, and with old ones during a rotation', async () => {
  const { webhooks } = new Sluice({ baseUrl: 'https://pay.example.com', key })
  const at = { now: () => now }
  expect(await webhooks.verify(body, sign(key), at)).toMatchObject({ receiptId: 'order-1' })
  await expect(webhooks.verify(body, sign('sk_test_old'), at)).rejects.toThrow(WebhookVerificationError)
  for (const keys of ['sk_test_old', ['sk_test_old']])
    expect(await webhooks.verify(body, sign('sk_test_old'), { ...at, keys })).toMatchObject({
      status: 'paid',
    })
  const anonymous = new Sluice({ baseUrl: 'https://pay.example.com', key: null })
  await expect(anonymous.webhooks.verify(body, sign(key), at)).rejects.toThrow(TypeError)
})

test('headers generated for a test are those of a genuine delivery', async () => {
  const { webhooks } = new Sluice({ baseUrl: 'https://pay.example.com', key })
  const headers = await webhooks.generateTestHeaders(body)
  expect(await webhooks.verify(body, headers)).toMatchObject({ receiptId: 'order-1' })
  const sent = await webhooks.generateTestHeaders(Buffer.from(body), { sentAt: now })
  const { 'x-service-signature': first, 'webhook-timestamp': seconds } = sent
  expect([first, seconds]).toEqual([sign(key)['X-Service-Signature'], sign(key)['webhook-timestamp']])
  await expect(webhooks.verify(body, sent)).rejects.toMatchObject({ reason: 'stale' })
  await expect(webhooks.verify(`${body} `, headers)).rejects.toMatchObject({ reason: 'wrong-signature' })
})

test('during a rotation both keys are valid, and each for both signatures', async () => {
  const keys = ['sk_test_new', key]
  expect(await evaluate(sign(key), { keys })).toBe('order-1')
  expect(await evaluate(sign('sk_test_new'), { keys })).toBe('order-1')
  expect(await evaluate(sign('sk_test_other'), { keys })).toBe('wrong-signature')
  const mixed = { ...sign(key), 'X-Service-Signature': sign('sk_test_new')['X-Service-Signature'] ?? '' }
  expect(await evaluate(mixed, { keys })).toBe('wrong-signature')
  expect(await evaluate(sign(key), { keys: [] })).toBe('wrong-signature')
})

test('a changed body, header or signature is rejected', async () => {
  expect(await evaluate(sign(key), {}, body.replace('paid', 'fail'))).toBe('wrong-signature')
  for (const [name, value] of [
    ['webhook-id', 'msg_2'],
    ['webhook-timestamp', '1700000001'],
    ['webhook-signature', 'v1,AAAA'],
    ['X-Service-Signature', sign(key)['X-Service-Signature']?.toUpperCase() ?? ''],
    ['X-Service-Signature', (sign(key)['X-Service-Signature'] ?? '').slice(7)],
  ] as const)
    expect(await evaluate({ ...sign(key), [name]: value }), name).toBe('wrong-signature')
})

test('a body that was parsed and serialized again is rejected', async () => {
  expect(await evaluate(sign(key), {}, JSON.stringify(JSON.parse(body), undefined, 1))).toBe(
    'wrong-signature',
  )
})

test('a replayed old delivery is stale, and so is one from the future', async () => {
  expect(await evaluate(sign(key, body, now - 301_000))).toBe('stale')
  expect(await evaluate(sign(key, body, now + 301_000))).toBe('stale')
  expect(await evaluate(sign(key, body, now - 299_000))).toBe('order-1')
  expect(await evaluate(sign(key, body, now - 3_600_000), { toleranceMs: 7_200_000 })).toBe('order-1')
})

test('a delivery without the headers of Standard Webhooks is rejected, unless they are optional', async () => {
  const { 'X-Service-Signature': signature = '' } = sign(key)
  const bare = { 'X-Service-Signature': signature }
  expect(await evaluate(bare)).toBe('no-signature')
  expect(await evaluate(bare, { standardHeaders: 'optional' })).toBe('order-1')
  expect(await evaluate({}, { standardHeaders: 'optional' })).toBe('no-signature')
})

test('headers that differ from the signed body are rejected', async () => {
  expect(await evaluate({ ...sign(key), 'X-Service-Idempotency-Key': 'another' })).toBe('headers-differ')
  expect(await evaluate({ ...sign(key), 'X-Service-Event': 'receipt.deleted' })).toBe('headers-differ')
})

test('a signed body that is not an event is rejected', async () => {
  for (const text of ['', 'null', '[]', '{"receiptId":1}', '{'])
    expect(await evaluate(sign(key, text), {}, text)).toBe('malformed-body')
})

test('the error message gives the reason', async () => {
  await expect(verifyWebhook(body, {}, rules)).rejects.toThrow(WebhookVerificationError)
  await expect(verifyWebhook(body, {}, rules)).rejects.toThrow('a signature header is missing')
})
