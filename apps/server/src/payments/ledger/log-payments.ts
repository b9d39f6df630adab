import { afterCommit } from '../../platform/database/inside-transaction.ts'
import { type Log, withKnownFields } from '../../platform/log.ts'
import type { Payment } from './payment.ts'
import type { ReceiptRef } from './place-store.ts'

/** Maximum number of lines for one receipt and transaction. */
const mostLines = 10

/** The changes of a receipt's payments in one transaction. */
export type PaymentNews = Readonly<Record<'seen' | 'credited' | 'reversed', readonly Payment[]>>

/** Logs each payment that was seen, credited or reversed, once that is committed. */
export function logPayments(log: Log, { merchant, receiptId }: ReceiptRef, changes: PaymentNews): void {
  const entries = Object.entries(changes).flatMap(([what, payments]) =>
    payments.map((payment) => ({ what, payment })),
  )
  if (entries.length === 0) return
  const lines = withKnownFields(log)
  afterCommit(() => {
    for (const { what, payment } of entries.slice(0, mostLines)) {
      const { txHash: transactionHash, logIndex, kind, token, units, block, isLate } = payment
      const place = { transactionHash, logIndex, blockNumber: String(block.number) }
      const amount = { token: token.symbol, amountRaw: String(units) }
      lines.info({ merchant, receiptId, what, kind, ...amount, ...place, isLate }, 'payment')
    }
    const moreCount = entries.length - mostLines
    if (moreCount > 0) lines.info({ merchant, receiptId, moreCount }, 'more payments')
  })
}
