import type { components, operations } from '../../api/schema.d.ts'

/** A receipt in full, as the API has it. */
export type Receipt = components['schemas']['ReceiptDetail']

/** Where its money is. */
export type Money = operations['getReceiptsByIdMoney']['responses'][200]['content']['application/json']

/** An entry of its history. */
export type TimelineEntry = Receipt['timeline'][number]

/** Whether money of buyers has settled it, so that money can go back. */
export function isSettled({ status }: Pick<Receipt, 'status'>): boolean {
  return ['paid', 'reconciled', 'refund_requested', 'refunded'].includes(status)
}

/** Whether money of it can go back, as far as can be told here: all that was credited, in every status. */
export function isRefundable(receipt: Receipt): boolean {
  return isSettled(receipt) ? receipt.status !== 'refunded' : receipt.payment.creditedUsd > 0
}

/** Whether its lines can still be changed, as far as can be told here; the service decides it. */
export function isEditable({ status, cancelledAt, payment }: Receipt): boolean {
  const isUntouched = ['none', 'expired', 'awaiting'].includes(payment.state)
  return ['generated', 'pending', 'failed'].includes(status) && cancelledAt === null && isUntouched
}

/** Whether it can still be cancelled. */
export function isCancellable({ status, cancelledAt }: Receipt): boolean {
  return ['generated', 'pending', 'failed'].includes(status) && cancelledAt === null
}
