import type { components } from '../../api/schema.d.ts'
import { centsOf } from '../../format/cents.ts'
import { isSettled } from '../receipt/receipt.ts'

type Receipt = components['schemas']['ReceiptDetail']

/** What is given back: of the price, or of what was paid beyond it. */
export type RefundKind = 'price' | 'excess'

/** What may be given back in all of this kind, in cents: of a receipt that is not paid, what was credited to it. */
export function refundable(receipt: Receipt, kind: RefundKind): bigint {
  const { customerTotalUsd, payment } = receipt
  if (!isSettled(receipt)) return kind === 'price' ? centsOf(payment.creditedUsd) : 0n
  const total = centsOf(customerTotalUsd)
  if (kind === 'price') return total
  const due = BigInt(payment.dueRaw)
  return due > 0n ? (BigInt(payment.excessRaw) * total) / due : 0n
}

/** What is left of it: every refund is taken off but those that turned out to be none, or whose transaction is missing. */
export function leftOf(receipt: Receipt, kind: RefundKind): bigint {
  const taken = receipt.refunds
    .filter((refund) => refund.kind === kind && refund.error === null)
    .reduce((sum, { usd }) => sum + centsOf(usd), 0n)
  const left = refundable(receipt, kind) - taken
  return left > 0n ? left : 0n
}

/**
 * What an amount comes to in the token that the receipt was paid in, at the rate of its payment, rounded up to the
 * base unit; `undefined` where nothing was paid on the chain.
 */
export function unitsFor({ customerTotalUsd, payment }: Receipt, cents: bigint): bigint | undefined {
  const total = centsOf(customerTotalUsd)
  const due = BigInt(payment.dueRaw)
  if (payment.token === null || due === 0n || total === 0n) return undefined
  return (cents * due + total - 1n) / total
}
