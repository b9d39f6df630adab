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

export type ReceiptStatus = (typeof receiptStatuses)[number]

/** `cancelled` replaces the status of a cancelled and unpaid receipt. */
export const listedStatuses = [...receiptStatuses, 'cancelled'] as const

export type ListedStatus = (typeof listedStatuses)[number]

/**
 * Statuses that pages display. They add payment and deadline to the status:
 * - `confirming`: a payment is detected but not confirmed.
 * - `underpaid`: part of the amount due was paid.
 * - `expired`: unpaid at `expiresAt`.
 * - `stopped`: the buyer cancelled or left the payment.
 * - `overpaid`: more than the amount due was paid, and nothing was refunded.
 * - `reversed`: a reorg removed a counted payment.
 */
export const displayStatuses = [
  ...listedStatuses,
  'confirming',
  'underpaid',
  'expired',
  'stopped',
  'overpaid',
  'reversed',
] as const

export type DisplayStatus = (typeof displayStatuses)[number]

const legacy: Readonly<Record<string, ReceiptStatus>> = {
  completed: 'paid',
  ach_pending: 'paid - ach pending',
  rejected: 'failed',
  abandoned: 'failed',
  // Old data stores the state of a refund's transaction as the status. Such receipts were paid.
  tx_mined: 'paid',
  recipient_validated: 'paid',
  tx_mismatch: 'paid',
}

export function normaliseStatus(value: string): ReceiptStatus | undefined {
  if ((receiptStatuses as readonly string[]).includes(value)) return value as ReceiptStatus
  return Object.hasOwn(legacy, value) ? legacy[value] : undefined
}

/** Returns whether a receipt is paid. A late failure must never change such a status. */
export function isSettled(status: ReceiptStatus): boolean {
  return (
    status === 'paid' || status === 'reconciled' || status === 'refund_requested' || status === 'refunded'
  )
}

export function spellingsOf(status: ReceiptStatus): string[] {
  return [status, ...Object.keys(legacy).filter((spelling) => legacy[spelling] === status)]
}

/** Returns whether the merchant was paid. Includes uncleared bank payments and refunded receipts. */
export function isPaidLike(status: ReceiptStatus): boolean {
  return status === 'paid - ach pending' || isSettled(status)
}
