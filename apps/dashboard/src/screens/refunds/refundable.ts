import type { components } from '../../api/schema.d.ts'
import { centsOf } from '../../format/cents.ts'
import { isSettled } from '../receipt/receipt.ts'

type Receipt = components['schemas']['ReceiptDetail']

/** `price` refunds a part of the price, `excess` a part of an overpayment. */
export type RefundKind = 'price' | 'excess'

/**
 * Returns the refundable total of this kind, in US cents.
 *
 * For an unsettled receipt, this is the credited amount.
 */
export function refundable(receipt: Receipt, kind: RefundKind): bigint {
  const { customerTotalUsd, payment } = receipt
  if (!isSettled(receipt)) return kind === 'price' ? centsOf(payment.creditedUsd) : 0n
  const total = centsOf(customerTotalUsd)
  if (kind === 'price') return total
  const due = BigInt(payment.dueRaw)
  return due > 0n ? (BigInt(payment.excessRaw) * total) / due : 0n
}

/** Returns the remaining refundable amount, in US cents. A refund with an error does not reduce it. */
export function leftOf(receipt: Receipt, kind: RefundKind): bigint {
  const taken = receipt.refunds
    .filter((refund) => refund.kind === kind && refund.error === null)
    .reduce((sum, { usd }) => sum + centsOf(usd), 0n)
  const left = refundable(receipt, kind) - taken
  return left > 0n ? left : 0n
}

/**
 * Converts US cents to base units of the receipt's token at the payment's exchange rate, rounded up.
 *
 * Returns `undefined` if the receipt was not paid on-chain.
 */
export function unitsFor({ customerTotalUsd, payment }: Receipt, cents: bigint): bigint | undefined {
  const total = centsOf(customerTotalUsd)
  const due = BigInt(payment.dueRaw)
  if (payment.token === null || due === 0n || total === 0n) return undefined
  return (cents * due + total - 1n) / total
}
