import { expect, test } from 'vitest'
import { webhookIdempotencyKey } from './webhook-body.ts'

test('the idempotency key names receipt, status and transaction', () => {
  expect(webhookIdempotencyKey('R-1', 'paid', '0xabc')).toBe('receipt-status:R-1:paid:0xabc')
  expect(webhookIdempotencyKey('R-1', 'paid - ach pending', null)).toBe(
    'receipt-status:R-1:paid - ach pending:none',
  )
  expect(webhookIdempotencyKey('R-1', 'failed', '')).toBe('receipt-status:R-1:failed:none')
  expect(webhookIdempotencyKey('R-1', 'paid', '0xabc', 'orphaned')).toBe(
    'receipt-status:R-1:paid:0xabc:orphaned',
  )
})
