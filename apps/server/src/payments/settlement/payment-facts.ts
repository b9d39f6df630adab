import type { Cents } from '@sluice/protocol/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import { assert } from '../../kernel/assert.ts'
import { customerTotalCents, type PaymentSummary, type Receipt } from '../../receipts/receipt.ts'
import type { PaymentFacts } from '../../receipts/record-progress.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { isEnough, type Worth } from '../ledger/evaluate-payment.ts'
import type { Payment } from '../ledger/payment.ts'
import type { ChainChanges } from './settle-context.ts'

/** Returns whether the payment fields of a receipt may have to change. */
export function hasFacts(receipt: Receipt, changes: ChainChanges, counted: readonly Worth[]): boolean {
  if (receipt.paidUnits !== undefined)
    return receipt.payment?.state === 'orphaned' || Boolean(changes.lost ?? changes.returned)
  return receipt.providerSession?.isPaid === true && isEnough(customerTotalCents(receipt), counted)
}

/** Returns changed payment fields: a receipt never shows a transaction that is not on the chain. */
export function factsNow(
  receipt: Receipt,
  attempts: readonly Attempt[],
  payments: readonly Payment[],
  summary: PaymentSummary | undefined,
): Partial<PaymentFacts> | undefined {
  if (!isSettled(receipt.status) || !summary) return undefined
  const shown = payments.findLast(({ state }) => state === 'credited')
  if (!shown) {
    const facts = { transactionHash: undefined, paidUnits: summary.received }
    return isShown(receipt, facts) ? undefined : facts
  }
  const { units, ...facts } = paidFacts(shown, attempts, summary, customerTotalCents(receipt))
  const all = { ...facts, paidUnits: units }
  return isShown(receipt, all) ? undefined : all
}

function isShown(receipt: Receipt, facts: Partial<PaymentFacts>): boolean {
  return Object.entries(facts).every(([name, value]) => receipt[name as keyof PaymentFacts] === value)
}

/** Returns the payment fields of a receipt that `last` pays. */
export function paidFacts(
  last: Payment,
  attempts: readonly Attempt[],
  summary: PaymentSummary | undefined,
  total: Cents,
) {
  assert(summary && total > 0n, 'a payment has an attempt')
  return {
    transactionHash: last.txHash === last.block.hash ? undefined : last.txHash,
    transactionAt: last.block.at,
    token: summary.token,
    units: summary.received,
    // A provider pays from its own wallet, so the buyer's wallet is unknown.
    buyerWallet:
      attempts.find(({ id }) => id === last.attemptId)?.provider === undefined ? last.payer : undefined,
  }
}
