import { isSettled, type ReceiptStatus, receiptStatuses } from '@sluice/protocol/receipt-status.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideStatus, edges, type TriggerKind } from './status.ts'

const triggers = Object.keys(edges) as TriggerKind[]

/** The table as the contract and the decisions state it, once more and in full. */
const stated: [ReceiptStatus, TriggerKind, ReceiptStatus][] = [
  ['generated', 'payment_verified', 'paid'],
  ['pending', 'payment_verified', 'paid'],
  ['failed', 'payment_verified', 'paid'],
  ['paid - ach pending', 'payment_verified', 'paid'],
  ['generated', 'ach_accepted', 'paid - ach pending'],
  ['pending', 'ach_accepted', 'paid - ach pending'],
  ['failed', 'ach_accepted', 'paid - ach pending'],
  ['paid - ach pending', 'ach_returned', 'failed'],
  ['generated', 'failure_verified', 'failed'],
  ['pending', 'failure_verified', 'failed'],
  ['paid', 'funds_distributed', 'reconciled'],
  ['generated', 'checkout_success', 'paid'],
  ['pending', 'checkout_success', 'paid'],
  ['failed', 'checkout_success', 'paid'],
  ['paid - ach pending', 'checkout_success', 'paid'],
  ['refund_requested', 'checkout_success', 'paid'],
  ['paid', 'refund_requested', 'refund_requested'],
  ['reconciled', 'refund_requested', 'refund_requested'],
  ['paid', 'refunds_complete', 'refunded'],
  ['reconciled', 'refunds_complete', 'refunded'],
  ['refund_requested', 'refunds_complete', 'refunded'],
]

test.each(
  receiptStatuses.flatMap((from) => triggers.map((trigger) => [from, trigger] as const)),
)('%s meets %s as the table says', (from, trigger) => {
  const edge = stated.find((row) => row[0] === from && row[1] === trigger)
  const verdict = decideStatus(from, trigger)
  if (edge) expect(verdict).toEqual({ kind: 'move', to: edge[2] })
  else expect(verdict.kind).toBe('stay')
})

test('no sequence of triggers leads a settled receipt to failed', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...receiptStatuses),
      fc.array(fc.constantFrom(...triggers)),
      (start, sequence) => {
        let status: ReceiptStatus = start
        for (const trigger of sequence) {
          const wasSettled = isSettled(status)
          const verdict = decideStatus(status, trigger)
          if (verdict.kind === 'move') status = verdict.to
          if (wasSettled) expect(status).not.toBe('failed')
        }
      },
    ),
  )
})
