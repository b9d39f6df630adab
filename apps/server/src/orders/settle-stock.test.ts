import { type ReceiptStatus, receiptStatuses } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import type { PaymentState, PaymentSummary } from '../receipts/receipt.ts'
import { never } from '../receipts/receipt-due.ts'
import { evaluateStock } from './settle-stock.ts'

const end = 1_000_000 as UnixMs
const later = 2_000_000 as UnixMs
const payment = (state: PaymentState) => ({ state }) as PaymentSummary
const evaluate = (
  status: ReceiptStatus,
  more: {
    now?: UnixMs
    state?: PaymentState
    scannedTo?: UnixMs
    expiresAt?: UnixMs | undefined
    cancelledAt?: UnixMs
  } = {},
) =>
  evaluateStock(
    { status, expiresAt: end, cancelledAt: undefined, ...more, payment: more.state && payment(more.state) },
    more.now ?? (500_000 as UnixMs),
    more.scannedTo,
  )

test.each(receiptStatuses)('a receipt that is %s decides before its time is up', (status) => {
  const taken = ['paid', 'reconciled', 'refund_requested', 'refunded']
  if (taken.includes(status)) expect(evaluate(status)).toEqual({ kind: 'take' })
  else if (status === 'failed') expect(evaluate(status)).toEqual({ kind: 'give-back' })
  else expect(evaluate(status).kind).toBe('keep')
})

test('what is cancelled ends then, whatever its time', () => {
  const cancelledAt = 400_000 as UnixMs
  for (const expiresAt of [end, undefined]) {
    expect(evaluate('pending', { cancelledAt, expiresAt })).toEqual({ kind: 'give-back' })
    expect(evaluate('pending', { cancelledAt, expiresAt, state: 'seen' }).kind).toBe('keep')
    expect(evaluate('paid', { cancelledAt, expiresAt })).toEqual({ kind: 'take' })
  }
})

test('what is pending is kept until its time is up, and without a time for ever', () => {
  expect(evaluate('pending')).toEqual({ kind: 'keep', until: end })
  expect(evaluate('pending', { expiresAt: undefined, now: later })).toEqual({ kind: 'keep', until: never })
})

test('nobody tried to pay: it is over at its time', () =>
  expect(evaluate('pending', { now: end })).toEqual({ kind: 'give-back' }))

test('somebody tried: it is over when the blocks up to its time were read', () => {
  for (const state of ['awaiting', 'expired', 'short', 'orphaned'] as const) {
    expect(evaluate('pending', { now: later, state }).kind).toBe('keep')
    expect(evaluate('pending', { now: later, state, scannedTo: (end - 1) as UnixMs }).kind).toBe('keep')
    expect(evaluate('pending', { now: later, state, scannedTo: end }).kind).toBe('give-back')
  }
})

test('what was seen in time and waits for its depth is kept, and so is an accepted bank payment', () => {
  expect(evaluate('pending', { now: later, state: 'seen', scannedTo: later }).kind).toBe('keep')
  const accepted = evaluate('paid - ach pending', { now: later, scannedTo: later })
  expect(accepted).toEqual({ kind: 'keep', until: never })
})
