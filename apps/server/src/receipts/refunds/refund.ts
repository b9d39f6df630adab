import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { customerTotalCents, type Receipt } from '../receipt.ts'

export type RefundMark = 'tx_mined' | 'recipient_validated' | 'tx_mismatch'

/** Source of the refunded money: the price, an overpayment, or an unmatched payment. */
export type RefundKind = 'price' | 'excess' | 'unmatched'

export type RefundItem = {
  readonly label: string
  readonly priceUsd: number
  readonly qty?: number
}

/** Refund that the merchant paid, or reports as paid. It counts if {@link isCounted}. */
export type Refund = {
  readonly merchant: Wallet
  readonly id: string
  readonly kind: RefundKind
  readonly receiptId: ReceiptId | undefined
  readonly unmatchedId: string | undefined
  /** Recipient. Absent if the payer is unknown. */
  readonly buyer: Wallet | undefined
  /** Absent for an unmatched payment, which is counted in its own token. */
  readonly usdCents: Cents | undefined
  readonly items: readonly RefundItem[] | undefined
  readonly tokenAddress: Wallet | undefined
  readonly units: TokenUnits | undefined
  readonly txHash: `0x${string}` | undefined
  /** Absent before the first check, and for a refund without a transaction. */
  readonly mark: RefundMark | undefined
  /** Reason for a mismatch, or for a transaction that is missing from the chain. */
  readonly error: string | undefined
  readonly madeBy: string
  readonly madeAt: UnixMs
  readonly markedAt: UnixMs | undefined
}

/**
 * Returns whether a refund counts: the chain confirms it, or it has no transaction. Pending and mismatched
 * refunds do not count.
 */
export function isCounted({ txHash, mark }: Pick<Refund, 'txHash' | 'mark'>): boolean {
  return txHash === undefined || mark === 'recipient_validated'
}

/** Returns whether the chain does not have the refund's transaction. */
export function isMissing({ mark, error }: Pick<Refund, 'mark' | 'error'>): boolean {
  return mark === undefined && error !== undefined
}

/** Returns the cents already refunded or pending. Excludes mismatched and missing transactions. */
export function takenCents(refunds: readonly Refund[], kind: RefundKind): Cents {
  return sum(refunds.filter((refund) => refund.kind === kind && refund.error === undefined))
}

/** Returns the cents of the price that counted refunds cover. */
export function countedCents(refunds: readonly Refund[]): Cents {
  return sum(refunds.filter((refund) => refund.kind === 'price' && isCounted(refund)))
}

/**
 * Returns the maximum refundable amount: the customer total, or the overpayment rounded down to the cent. For
 * an unpaid receipt, returns the credited amount.
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
