import type { Cents } from '@sluice/protocol/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { isReturned } from '../../receipts/refunds/store.ts'
import { type Finality, type FinalityTags, hasReached } from '../cursors/finality.ts'
import { isEnough as coversTotal, evaluatePayments, type Worth } from '../ledger/evaluate-payment.ts'
import type { UnmatchedReason } from '../ledger/match-transfer.ts'
import { compareOnChain, isReversed, type Payment } from '../ledger/payment.ts'
import { claimLogs, savePaymentStates } from '../ledger/store.ts'
import { recordUnmatched } from '../ledger/unmatched.ts'

export type ConfirmationLevel = { readonly tags: FinalityTags; readonly required: Finality }

function isToEvaluate({ tags, required }: ConfirmationLevel, { state, block }: Payment): boolean {
  return state === 'seen' && hasReached(tags, block.number, required)
}

/**
 * Credits the payments of a receipt that reached the required finality, each exactly once.
 *
 * Surplus, and payments to a receipt already paid or refunded, go to the merchant's inbox. If a reorg removed
 * a receipt's payment, other money replaces that payment.
 *
 * @returns the current payments, and those credited by this call.
 */
export async function creditPayments(
  needs: { tx: Database; random: Random; log: Log },
  chain: number,
  receipt: Receipt,
  input: {
    readonly total: Cents
    readonly payments: readonly Payment[]
    readonly confirmationLevel: ConfirmationLevel
    readonly now: UnixMs
  },
): Promise<{ payments: Payment[]; credited: Payment[] }> {
  const { total, confirmationLevel, now } = input
  const payments = [...input.payments].sort(compareOnChain)
  const sure = payments.filter((payment) => isToEvaluate(confirmationLevel, payment))
  const before = payments.filter(({ state }) => state === 'credited')
  const isPaid =
    isSettled(receipt.status) &&
    !isUnfunded(receipt, payments.some(isReversed)) &&
    !isDeliveryDue(receipt, total, before)
  const { credit, surplus, isEnough } =
    isPaid || (await isReturned(needs.tx, receipt))
      ? { credit: [], surplus: sure, isEnough: true }
      : evaluatePayments(total, before, sure)
  const covering = isEnough ? credit.at(-1) : undefined
  /** Once the total is covered, the worth of later payments does not matter. */
  const isMore = (payment: Payment) => isEnough && (!covering || compareOnChain(payment, covering) > 0)

  const changed = new Map<Payment, Payment>()
  const ours = await claimLogs(needs.tx, chain, credit, now)
  for (const payment of credit) {
    const isOurs = ours.has(payment)
    if (!isOurs)
      needs.log.error(
        { alert: 'log-claimed', receiptId: receipt.id, transactionHash: payment.txHash },
        'a log has already been credited; it is ignored',
      )
    changed.set(
      payment,
      isOurs ? { ...payment, state: 'credited', creditedAt: now } : { ...payment, state: 'unmatched' },
    )
  }
  const entries = surplus.map((payment) => {
    const { token, units, ...rest } = payment
    const reason: UnmatchedReason = isMore(payment) ? 'receipt-settled' : 'no-rate'
    return { ...rest, tokenAddress: token.address, amount: units, reason }
  })
  await recordUnmatched(needs, chain, entries, now)
  for (const payment of surplus) changed.set(payment, { ...payment, state: 'unmatched' })
  await savePaymentStates(needs.tx, chain, [...changed.values()])
  return {
    payments: payments.map((payment) => changed.get(payment) ?? payment),
    credited: [...changed.values()].filter(({ state }) => state === 'credited'),
  }
}

/** A provider reported the payment, but its delivery is incomplete: this money is that delivery. */
function isDeliveryDue(
  { status, providerSession }: Receipt,
  total: Cents,
  credited: readonly Worth[],
): boolean {
  return status !== 'refunded' && providerSession?.isPaid === true && !coversTotal(total, credited)
}

function isUnfunded({ status }: Receipt, hasReversed: boolean): boolean {
  return hasReversed && (status === 'paid' || status === 'reconciled')
}
