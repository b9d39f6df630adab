import { isSettled, type ReceiptStatus, receiptStatuses } from '@sluice/protocol/receipt-status.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../test/support/test-random.ts'
import { decideStatus, edges, type TriggerKind } from './status.ts'

const triggers = Object.keys(edges) as TriggerKind[]

/** Complete transition table, repeated independently of the code. */
const stated: Readonly<Record<TriggerKind, [to: ReceiptStatus, from: ReceiptStatus[]]>> = {
  payment_verified: ['paid', ['generated', 'pending', 'failed', 'paid - ach pending']],
  ach_accepted: ['paid - ach pending', ['generated', 'pending', 'failed']],
  ach_returned: ['failed', ['paid - ach pending']],
  failure_verified: ['failed', ['generated', 'pending']],
  funds_distributed: ['reconciled', ['paid']],
  checkout_success: ['paid', ['generated', 'pending', 'failed', 'paid - ach pending', 'refund_requested']],
  refund_requested: ['refund_requested', ['paid', 'reconciled']],
  refunds_complete: ['refunded', ['paid', 'reconciled', 'refund_requested']],
}

test.each(
  receiptStatuses.flatMap((from) => triggers.map((trigger) => [from, trigger] as const)),
)('%s meets %s as the table says', (from, trigger) => {
  const [to, origins] = stated[trigger]
  const verdict = decideStatus(from, trigger)
  if (origins.includes(from)) expect(verdict).toEqual({ kind: 'move', to })
  else expect(verdict.kind).toBe('stay')
})

test('no sequence of triggers leads a settled receipt to failed', () => {
  forAll(fc.constantFrom(...receiptStatuses), fc.array(fc.constantFrom(...triggers)), (start, sequence) => {
    let status: ReceiptStatus = start
    for (const trigger of sequence) {
      const wasSettled = isSettled(status)
      const verdict = decideStatus(status, trigger)
      if (verdict.kind === 'move') status = verdict.to
      if (wasSettled) expect(status).not.toBe('failed')
    }
  })
})
