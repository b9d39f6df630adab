import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { changeStatusOf } from '../../receipts/change-status.ts'
import { customerTotalCents, type PaymentSummary, type Receipt } from '../../receipts/receipt.ts'
import { recordProgressOf } from '../../receipts/record-progress.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { writePayment } from '../../receipts/table.ts'
import type { Payment } from '../ledger/payment.ts'
import type { ReceiptRef } from '../ledger/place-store.ts'
import { summarizePayments } from '../ledger/summarize-payments.ts'
import { findNews, listEntries, type News } from './find-news.ts'
import { logPayments } from './log-payments.ts'
import { factsNow, hasFacts, paidFacts } from './payment-facts.ts'
import { type Money, recordMoney } from './record-money.ts'
import { reportReversals } from './report-reversals.ts'
import type { ChainChanges, SettleContext } from './settle-context.ts'

type Needs = { tx: Database; clock: Clock; random: Random; log: Log }

/**
 * Updates a receipt from the chain, in the caller's transaction. Safe to repeat.
 *
 * Records found and lost payments, credits, ended offers, the summary and the status.
 *
 * @returns whether the receipt was paid or a credited payment was reversed.
 */
export async function settleReceipt(
  needs: Needs,
  context: SettleContext,
  ref: ReceiptRef,
  changes: ChainChanges = {},
): Promise<{ isNew: boolean }> {
  const receipt = await lockReceipt(needs.tx, ref.merchant, ref.receiptId)
  assert(receipt, 'a receipt is never deleted')
  const total = customerTotalCents(receipt)
  const money = await recordMoney(needs, context, { receipt, total }, changes)
  const news = findNews(receipt, changes, money)
  const { tags, coveredTo } = context
  const summary = summarizePayments({ total, ...money, hasVanished: news.hasVanished, tags, coveredTo })
  logPayments(needs.log, ref, { seen: money.fresh, credited: money.credited, reversed: news.reversed })
  const after = await saveProgress(needs, receipt, { changes, money, news, summary })
  if (!money.isPaid) {
    const isNew = await reportReversals(
      needs,
      { before: receipt, after },
      { ...news, credited: money.credited },
    )
    return { isNew }
  }
  const last = money.payments.findLast(isCredited)
  assert(last, 'a paid receipt has a credited payment')
  const change = await changeStatusOf(needs, after, {
    kind: 'payment_verified',
    detail: { transactionHash: last.txHash, attemptId: last.attemptId },
    attemptId: last.attemptId,
    paid: paidFacts(last, money.attempts, summary, total),
  })
  return { isNew: change.kind === 'moved' }
}

type Settlement = {
  readonly changes: ChainChanges
  readonly money: Money
  readonly news: News
  readonly summary: PaymentSummary | undefined
}

async function saveProgress(
  needs: Needs,
  receipt: Receipt,
  { changes, money, news, summary }: Settlement,
): Promise<Receipt> {
  const { attempts, payments } = money
  const entries = listEntries(money, news)
  const facts =
    hasFacts(receipt, changes, payments.filter(isCredited)) && factsNow(receipt, attempts, payments, summary)
  if (!isChanged(receipt.payment, summary) && entries.length === 0 && !facts) return receipt
  return recordProgressOf(needs, receipt, {
    ...(summary && { payment: summary }),
    ...(facts && { facts }),
    entries,
  })
}

function isCredited({ state }: Payment): boolean {
  return state === 'credited'
}

function isChanged(before: PaymentSummary | undefined, after: PaymentSummary | undefined): boolean {
  return after !== undefined && (!before || textOf(before) !== textOf(after))
}

function textOf(summary: PaymentSummary): string {
  return JSON.stringify(writePayment(summary))
}
