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

/**
 * What a receipt is listed and counted as: its status, or `cancelled` where it was cancelled and is not paid, since
 * nobody awaits it any more.
 */
export const receiptStandings = [...receiptStatuses, 'cancelled'] as const

/** One of {@link receiptStandings}. */
export type ReceiptStanding = (typeof receiptStandings)[number]

/**
 * What a receipt is shown as: its standing, or what its money and its deadline make of that. `confirming`: the money was
 * seen and is not confirmed; `underpaid`: a part of it came; `expired`: nothing came by `expiresAt`; `stopped`: the buyer
 * ended the payment, or left it; `overpaid`: more came, and nothing was given back; `reversed`: the chain took back what
 * had counted.
 */
export const displayStatuses = [
  ...receiptStandings,
  'confirming',
  'underpaid',
  'expired',
  'stopped',
  'overpaid',
  'reversed',
] as const

/** One of {@link displayStatuses}. */
export type DisplayStatus = (typeof displayStatuses)[number]

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

/** Every way a status is spelled in stored data: its own name and the legacy ones. */
export function spellingsOf(status: ReceiptStatus): string[] {
  return [status, ...Object.keys(legacy).filter((spelling) => legacy[spelling] === status)]
}

/** Whether the merchant was paid, whatever was given back later: a bank's payment that has not cleared counts too. */
export function isPaidLike(status: ReceiptStatus): boolean {
  return status === 'paid - ach pending' || isSettled(status)
}
