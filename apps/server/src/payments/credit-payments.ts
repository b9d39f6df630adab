import type { Cents } from '@sluice/protocol/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Receipt } from '../receipts/receipt.ts'
import { type Finality, type FinalityTags, hasReached } from './finality.ts'
import { judgePayments } from './judge-payment.ts'
import { compareOnChain, isReversed, type Payment } from './payment.ts'
import { claimLog, savePaymentState } from './payment-store.ts'
import { recordUnmatched } from './unmatched.ts'

/** How sure payments are, and how sure they have to be. */
export type Sureness = { readonly tags: FinalityTags; readonly required: Finality }

/**
 * Credits the payments of a receipt that have become sure enough, each once and for ever; what is more than
 * the receipt asks for, or comes when it is paid already, goes to the merchant's inbox. Where a reorg took
 * back what it was paid with, other money for it takes its place.
 *
 * @returns all payments as they stand now, and those credited by this call.
 */
export async function creditPayments(
  needs: { tx: Database; random: Random; log: Log },
  chain: number,
  receipt: Receipt,
  input: {
    readonly total: Cents
    readonly payments: readonly Payment[]
    readonly sureness: Sureness
    readonly now: UnixMs
  },
): Promise<{ payments: Payment[]; credited: Payment[] }> {
  const { total, sureness, now } = input
  const payments = [...input.payments].sort(compareOnChain)
  const sure = payments.filter(
    (payment) =>
      payment.state === 'seen' && hasReached(sureness.tags, payment.block.number, sureness.required),
  )
  const before = payments.filter(({ state }) => state === 'credited')
  const isPaid = isSettled(receipt.status) && !isBereft(receipt, payments)
  const { credit, surplus } = isPaid ? { credit: [], surplus: sure } : judgePayments(total, before, sure)

  const changed = new Map<Payment, Payment>()
  for (const payment of credit) {
    const isOurs = await claimLog(needs.tx, chain, payment, now)
    if (!isOurs)
      needs.log.error(
        { alert: 'log-claimed', receiptId: receipt.id, transactionHash: payment.txHash },
        'a log that was to be credited had been credited before; it is left aside',
      )
    changed.set(
      payment,
      isOurs ? { ...payment, state: 'credited', creditedAt: now } : { ...payment, state: 'unmatched' },
    )
  }
  for (const payment of surplus) {
    const reason = payment.rate === 0n && !isPaid ? 'no-rate' : 'receipt-settled'
    const { token, units, ...rest } = payment
    await recordUnmatched(needs, chain, { ...rest, tokenAddress: token.address, amount: units, reason }, now)
    changed.set(payment, { ...payment, state: 'unmatched' })
  }
  for (const payment of changed.values()) await savePaymentState(needs.tx, chain, payment)
  return {
    payments: payments.map((payment) => changed.get(payment) ?? payment),
    credited: [...changed.values()].filter(({ state }) => state === 'credited'),
  }
}

/** Paid once, with money the chain has taken back since. */
function isBereft({ status }: Receipt, payments: readonly Payment[]): boolean {
  const isOpen = status === 'paid' || status === 'reconciled'
  return isOpen && payments.some(isReversed)
}
