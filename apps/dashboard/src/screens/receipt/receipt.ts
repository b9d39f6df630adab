import type { components, operations } from '../../api/schema.d.ts'

export type Receipt = components['schemas']['ReceiptDetail']

export type Money = operations['getReceiptsByIdMoney']['responses'][200]['content']['application/json']

export type TimelineEntry = Receipt['timeline'][number]

export function isSettled({ status }: Pick<Receipt, 'status'>): boolean {
  return ['paid', 'reconciled', 'refund_requested', 'refunded'].includes(status)
}

/** Returns whether money can be refunded. For an unsettled receipt, only credited money counts. */
export function isRefundable(receipt: Receipt): boolean {
  return isSettled(receipt) ? receipt.status !== 'refunded' : receipt.payment.creditedUsd > 0
}

/** Returns whether the lines can be edited. This is an estimate: the service decides. */
export function isEditable({ status, cancelledAt, payment }: Receipt): boolean {
  const isUntouched = ['none', 'expired', 'awaiting'].includes(payment.state)
  return ['generated', 'pending', 'failed'].includes(status) && cancelledAt === null && isUntouched
}

export function isCancellable({ status, cancelledAt }: Receipt): boolean {
  return ['generated', 'pending', 'failed'].includes(status) && cancelledAt === null
}
