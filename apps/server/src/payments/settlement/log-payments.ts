import { afterCommit } from '../../platform/database/inside-transaction.ts'
import { type Log, withKnownFields } from '../../platform/log.ts'
import type { Payment } from '../ledger/payment.ts'
import type { ReceiptRef } from '../ledger/place-store.ts'

const mostLines = 10

type PaymentNews = Readonly<Record<'seen' | 'credited' | 'reversed', readonly Payment[]>>

/** Logs payments once their transaction is committed. */
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
