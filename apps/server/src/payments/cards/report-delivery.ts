import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { customerTotalCents, type Receipt } from '../../receipts/receipt.ts'
import { enqueueReceiptEvent } from '../../receipts/receipt-event.ts'
import { recordProgress } from '../../receipts/record-progress.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { isEnough } from '../ledger/evaluate-payment.ts'
import { listPayments } from '../ledger/store.ts'
import { deliveryDueAt, type OnrampSession } from './session.ts'

export type ApplyNeeds = {
  readonly tx: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const reports = {
  overdue: {
    entry: 'delivery_overdue',
    fact: 'delivery-overdue',
    alert: 'delivery-overdue',
    message: 'a payment that a provider confirmed has not arrived in full',
  },
  reversed: {
    entry: 'provider_reversed',
    fact: 'provider-reversed',
    alert: 'provider-reversal',
    message: 'a provider reported the failure of a payment that it had confirmed; the receipt is unchanged',
  },
} as const

/**
 * Reports an overdue delivery, once per receipt, unless credited payments cover the receipt.
 *
 * @returns `true` if the merchant must receive a webhook.
 */
export async function reportIfOverdue(needs: ApplyNeeds, session: OnrampSession): Promise<boolean> {
  const dueAt = deliveryDueAt(session)
  if (dueAt === undefined || dueAt > needs.clock.now()) return false
  const { merchant, receiptId } = session
  const receipt = await lockReceipt(needs.tx, merchant, receiptId)
  assert(receipt, 'a receipt is never deleted')
  if (receipt.status === 'refunded' || receipt.providerSession?.delivery !== undefined) return false
  const payments = await listPayments(needs.tx, merchant, receiptId)
  const credited = payments.filter(({ state }) => state === 'credited')
  if (isEnough(customerTotalCents(receipt), credited)) return false
  await reportDelivery(needs, receipt, session, 'overdue')
  return true
}

export async function reportDelivery(
  needs: ApplyNeeds,
  receipt: Receipt,
  session: OnrampSession,
  delivery: keyof typeof reports,
): Promise<Receipt> {
  const { merchant, id, providerSession } = receipt
  assert(providerSession, 'the receipt of a paid session knows the session')
  const { provider, attemptId, sessionId: providerSessionId, reference } = session
  const { entry: kind, fact, alert, message } = reports[delivery]
  const detail = { provider, attemptId, providerSessionId }
  needs.log.error({ alert, merchant, receiptId: id, ...detail }, message)
  const after = await recordProgress(needs, merchant, id, {
    providerSession: { ...providerSession, delivery },
    entries: [{ kind, detail }],
  })
  await enqueueReceiptEvent(needs, after, {
    previousStatus: after.status,
    fact: { transactionHash: after.transactionHash, suffix: `${fact}:${reference}` },
  })
  return after
}
