import type { UnixMs } from '@sluice/protocol/time.ts'
import { verifyBody, verifyStandard } from '@sluice/protocol/webhook-signature.ts'
import { expect, test } from 'vitest'
import { signedHeaders } from './sign.ts'

const at = 1_700_000_000_123 as UnixMs
const ids = { id: 'id-1', deliveryId: 'delivery-1', idempotencyKey: 'receipt-status:key-1' }
const message = { ...ids, brandKey: 'service', body: '{}' }

test("Sluice's own brand sends the contract's headers and those of Standard Webhooks, nothing else", async () => {
  const headers = signedHeaders(message, 'sk_test_x', at)
  expect(headers).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhook/1.0',
    'X-Service-Signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    'X-Service-Event': 'receipt.status_updated',
    'X-Service-Delivery': 'delivery-1',
    'X-Service-Idempotency-Key': 'receipt-status:key-1',
    'X-Service-Timestamp': '1700000000123',
    'webhook-id': 'msg_id-1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  })
  expect(await verifyBody('sk_test_x', '{}', headers['X-Service-Signature'] ?? '')).toBe(true)
  const stamp = { id: 'msg_id-1', timestampSeconds: 1_700_000_000 }
  expect(await verifyStandard('sk_test_x', stamp, '{}', headers['webhook-signature'] ?? '')).toBe(true)
})

test('a partner brand sends its own headers and agent, with the service headers as aliases', async () => {
  const headers = signedHeaders({ ...message, brandKey: 'acme-pay' }, 'sk_test_x', at)
  expect(headers['User-Agent']).toBe('Acme-Pay-Webhook/1.0')
  for (const name of ['Signature', 'Event', 'Delivery', 'Idempotency-Key', 'Timestamp'])
    expect(headers[`X-Acme-Pay-${name}`]).toBe(headers[`X-Service-${name}`])
})
