import { afterCommit } from '../../platform/database/inside-transaction.ts'
import { type Log, withKnownFields } from '../../platform/log.ts'
import { countCrowd, type PaymentCrowd } from './payment-crowd.ts'
import type { ReceiptRef } from './place-store.ts'

/** Anybody can send a receipt hundreds of payments in one block. No more than are told apart of a crowd. */
const mostLines = 10

/** What became of a receipt's payments in one transaction. */
export type PaymentNews = {
  readonly seen: PaymentCrowd
  readonly credited: PaymentCrowd
  readonly reversed: PaymentCrowd
}

/** A line in the log for each payment that was seen, credited or reversed, once that is committed. */
export function logPayments(log: Log, { merchant, receiptId }: ReceiptRef, changes: PaymentNews): void {
  const entries = Object.entries(changes).flatMap(([what, { first }]: [string, PaymentCrowd]) =>
    first.map((payment) => ({ what, payment })),
  )
  if (entries.length === 0) return
  const total = Object.values(changes).reduce((sum, crowd: PaymentCrowd) => sum + countCrowd(crowd), 0)
  const lines = withKnownFields(log)
  afterCommit(() => {
    for (const { what, payment } of entries.slice(0, mostLines)) {
      const { txHash: transactionHash, logIndex, kind, token, units, block, isLate } = payment
      const place = { transactionHash, logIndex, blockNumber: String(block.number) }
      const amount = { token: token.symbol, amountRaw: String(units) }
      lines.info({ merchant, receiptId, what, kind, ...amount, ...place, isLate }, 'payment')
    }
    const moreCount = total - mostLines
    if (moreCount > 0) lines.info({ merchant, receiptId, moreCount }, 'more payments')
  })
}
