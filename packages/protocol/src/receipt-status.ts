/** The canonical values of a receipt's status (contract: States and transitions). */
export const receiptStatuses = [
  'generated',
  'pending',
  'paid',
  'paid - ach pending',
  'reconciled',
  'failed',
  'refund_requested',
  'refunded',
] as const

/** Where a receipt stands. */
export type ReceiptStatus = (typeof receiptStatuses)[number]

const legacy: Readonly<Record<string, ReceiptStatus>> = {
  completed: 'paid',
  ach_pending: 'paid - ach pending',
  rejected: 'failed',
  abandoned: 'failed',
  // Marks of a refund's transaction, where old data has them in the place of a status: it was paid.
  tx_mined: 'paid',
  recipient_validated: 'paid',
  tx_mismatch: 'paid',
}

/** The canonical status behind `value`, legacy and provider spellings included; `undefined` for any other text. */
export function normaliseStatus(value: string): ReceiptStatus | undefined {
  if ((receiptStatuses as readonly string[]).includes(value)) return value as ReceiptStatus
  return Object.hasOwn(legacy, value) ? legacy[value] : undefined
}

/** Paid for good: no failure, however late it is reported, may touch it. */
export function isSettled(status: ReceiptStatus): boolean {
  return (
    status === 'paid' || status === 'reconciled' || status === 'refund_requested' || status === 'refunded'
  )
}
