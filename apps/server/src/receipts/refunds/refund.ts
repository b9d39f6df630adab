import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { customerTotalCents, type Receipt } from '../receipt.ts'

/** What the chain says of a refund's transaction (contract: States; decisions: Refunds). */
export type RefundMark = 'tx_mined' | 'recipient_validated' | 'tx_mismatch'

/** What a refund gives back: the receipt's own price, what was paid beyond it, or money of the inbox. */
export type RefundKind = 'price' | 'excess' | 'unmatched'

/** One thing that was given back, as the merchant names it. */
export type RefundItem = {
  readonly label: string
  readonly priceUsd: number
  readonly qty?: number
}

/** Money that was given back, as somebody logged it. */
export type Refund = {
  readonly merchant: Wallet
  readonly id: string
  readonly kind: RefundKind
  /** Absent for money that no receipt explains. */
  readonly receiptId: ReceiptId | undefined
  readonly unmatchedId: string | undefined
  /** Who got it; absent where it is not known who had paid. */
  readonly buyer: Wallet | undefined
  /** Absent for money that no receipt explains: it is counted in its own token. */
  readonly usdCents: Cents | undefined
  readonly items: readonly RefundItem[] | undefined
  readonly tokenAddress: Wallet | undefined
  readonly units: TokenUnits | undefined
  readonly txHash: `0x${string}` | undefined
  /** Absent while nobody has looked, and where there is nothing to look at. */
  readonly mark: RefundMark | undefined
  /** Why it is none, or why it is not known to be one: it does not match, or it is missing from the chain. */
  readonly fault: string | undefined
  readonly madeBy: string
  readonly madeAt: UnixMs
  readonly markedAt: UnixMs | undefined
}

/**
 * Whether a refund counts towards `refunded`: the chain shows it, or it has no transaction and stands on the
 * word of who logged it. What is still to be looked at does not count, a mismatch never.
 */
export function isCounted({ txHash, mark }: Pick<Refund, 'txHash' | 'mark'>): boolean {
  return txHash === undefined || mark === 'recipient_validated'
}

/** Whether the chain does not have the transaction of a refund: an open question for the merchant. */
export function isMissing({ mark, fault }: Pick<Refund, 'mark' | 'fault'>): boolean {
  return mark === undefined && fault !== undefined
}

/** What of a receipt was given back or is about to be. A mismatch and a missing transaction make room for another. */
export function takenCents(refunds: readonly Refund[], kind: RefundKind): Cents {
  return sum(refunds.filter((refund) => refund.kind === kind && refund.fault === undefined))
}

/** What of the receipt's own price is known to be given back. */
export function countedCents(refunds: readonly Refund[]): Cents {
  return sum(refunds.filter((refund) => refund.kind === 'price' && isCounted(refund)))
}

/**
 * What may be given back in all: the customer's total, or what was paid beyond it, rounded down to the cent. Of a receipt
 * that is not paid: what was credited to it.
 */
export function refundableCents(
  receipt: Pick<Receipt, 'status' | 'totalCents' | 'feeCents' | 'payment'>,
  kind: 'price' | 'excess',
): Cents {
  const total = customerTotalCents(receipt)
  const { payment } = receipt
  if (!isSettled(receipt.status))
    return kind === 'price' ? (payment?.creditedCents ?? (0n as Cents)) : (0n as Cents)
  if (kind === 'price') return total
  return (payment && payment.due > 0n ? (payment.excess * total) / payment.due : 0n) as Cents
}

function sum(refunds: readonly Refund[]): Cents {
  return refunds.reduce((total, { usdCents }) => total + (usdCents ?? 0n), 0n) as Cents
}
