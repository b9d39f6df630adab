import type { Cents } from '@sluice/protocol/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { changeStatus } from '../receipts/change-status.ts'
import { enqueueReceiptNotice } from '../receipts/notice.ts'
import { customerTotalCents, type PaymentSummary, type Receipt } from '../receipts/receipt.ts'
import { recordProgress } from '../receipts/record-progress.ts'
import { lockReceipt } from '../receipts/store.ts'
import { writePayment } from '../receipts/table.ts'
import type { Attempt } from './attempt.ts'
import { closeAttempts, listAttempts } from './attempt-store.ts'
import { creditPayments } from './credit-payments.ts'
import { type FinalityPolicy, type FinalityTags, finalityOf, requiredFinality } from './finality.ts'
import { findPolicy } from './find-policy.ts'
import { foldEntries } from './fold-entries.ts'
import { isEnough } from './judge-payment.ts'
import type { Finding } from './match-transfer.ts'
import { isSameKey, type Payment, type PaymentKey } from './payment.ts'
import { listPayments, orphanPayment } from './payment-store.ts'
import { type LateRates, recordFindings } from './record-findings.ts'
import { summarizePayments } from './summarize-payments.ts'
import { orphanUnmatched } from './unmatched.ts'
import { type ReceiptRef, savePlaces } from './watch-store.ts'

/** What is known of the chain when receipts are settled. */
export type SettleContext = {
  readonly chain: number
  readonly tags: FinalityTags
  /** Time of the last block that was read. */
  readonly coveredTo: UnixMs
  /** The deployment's; the merchant's own stands above it. */
  readonly policy: FinalityPolicy
  readonly lateRates: LateRates
}

/** What the chain brought a receipt, or took back from it. */
export type ChainNews = {
  readonly findings?: readonly Finding[]
  readonly orphaned?: readonly PaymentKey[]
}

type Needs = { tx: Database; clock: Clock; random: Random; log: Log }

/**
 * Brings a receipt up to what the chain says, in the caller's transaction: payments found and lost, credits,
 * expired offers, the summary, and the status where the money is enough. Safe to repeat.
 *
 * @returns whether somebody has to be told: the receipt became paid, or money it was paid with is gone.
 */
export async function settleReceipt(
  needs: Needs,
  context: SettleContext,
  { merchant, receiptId }: ReceiptRef,
  news: ChainNews = {},
): Promise<{ isNews: boolean }> {
  const { tx, clock } = needs
  const { chain, tags, coveredTo, lateRates } = context
  const receipt = await lockReceipt(tx, merchant, receiptId)
  assert(receipt, 'a receipt is never deleted')
  const now = clock.now()
  const total = customerTotalCents(receipt)
  const policy = await findPolicy(tx, context.policy, merchant)
  const attempts = await listAttempts(tx, merchant, receiptId)
  const known = await listPayments(tx, merchant, receiptId)

  const { payments: left, takenBack } = await takeBack(tx, chain, known, news.orphaned ?? [])
  const found = await recordFindings(tx, { attempts, payments: left }, news.findings ?? [], {
    lateRates,
    now,
  })
  const { payments, credited } = await creditPayments(needs, chain, receipt, {
    total,
    payments: found,
    sureness: { tags, required: requiredFinality(policy, total) },
    now,
  })
  await notePlaces(tx, context, payments)

  const counted = payments.filter(({ state }) => state === 'credited')
  const isPaid = !isSettled(receipt.status) && isEnough(total, counted)
  const kept = await closeOver(tx, attempts, { coveredTo, isPaid, now })
  const summary = summarizePayments({ total, attempts: kept, payments, tags, coveredTo })
  const entries = [
    ...foldEntries('payment_seen', known.length === 0 ? payments.slice(0, 1) : []),
    ...foldEntries('payment_orphaned', takenBack),
    ...foldEntries(
      'payment_credited',
      found.filter((payment) => isBack(left, payment)),
    ),
    ...foldEntries('payment_credited', credited),
  ]
  const recorded = isChanged(receipt.payment, summary) || entries.length > 0
  const after = recorded
    ? await recordProgress({ tx, clock }, merchant, receiptId, {
        ...(summary && { payment: summary }),
        entries,
      })
    : receipt

  if (takenBack.length > 0) await tellTakenBack(needs, after, takenBack)
  const last = counted.at(-1)
  if (!isPaid || !last) return { isNews: takenBack.length > 0 }
  const change = await changeStatus(needs, merchant, receiptId, {
    kind: 'payment_verified',
    detail: { transactionHash: last.txHash, attemptId: last.attemptId },
    paid: paidFacts(last, summary, total),
  })
  return { isNews: change.kind === 'moved' }
}

async function takeBack(
  tx: Database,
  chain: number,
  known: readonly Payment[],
  orphaned: readonly PaymentKey[],
): Promise<{ payments: Payment[]; takenBack: Payment[] }> {
  const payments: Payment[] = []
  const takenBack: Payment[] = []
  for (const payment of known) {
    const isGone = payment.state !== 'orphaned' && orphaned.some((key) => isSameKey(key, payment))
    if (isGone && payment.state === 'unmatched') await orphanUnmatched(tx, chain, payment.merchant, payment)
    const after = isGone ? await orphanPayment(tx, chain, payment) : payment
    if (isGone && payment.state === 'credited') takenBack.push(after)
    payments.push(after)
  }
  return { payments, takenBack }
}

/** A credited payment that a reorg had taken back and that stands in the chain again. */
function isBack(before: readonly Payment[], payment: Payment): boolean {
  return (
    payment.state === 'credited' &&
    before.some(
      (each) =>
        each.state === 'orphaned' &&
        each.creditedAt !== undefined &&
        each.txHash === payment.txHash &&
        each.attemptId === payment.attemptId,
    )
  )
}

async function notePlaces(tx: Database, { chain, tags }: SettleContext, payments: readonly Payment[]) {
  const standing = payments.filter(({ state }) => state !== 'orphaned')
  const places = standing.map((payment) => {
    const finality = finalityOf(tags, payment.block.number)
    const wanted = finality === 'seen' ? 'safe' : finality === 'safe' ? 'final' : undefined
    return { ...payment, blockNumber: payment.block.number, wanted } as const
  })
  await savePlaces(tx, chain, places)
}

/** Closes the offers whose time has passed on the chain, and all of them once the receipt is paid. */
async function closeOver(
  tx: Database,
  attempts: readonly Attempt[],
  { coveredTo, isPaid, now }: { coveredTo: UnixMs; isPaid: boolean; now: UnixMs },
): Promise<Attempt[]> {
  const isOver = (attempt: Attempt) =>
    attempt.closedAt === undefined && (isPaid || attempt.expiresAt < coveredTo)
  await closeAttempts(tx, attempts.filter(isOver), now)
  return attempts.map((attempt) => (isOver(attempt) ? { ...attempt, closedAt: now } : attempt))
}

/** A reorg took credited money back: never silent, and never a step back of the status. */
async function tellTakenBack(needs: Needs, receipt: Receipt, takenBack: readonly Payment[]): Promise<void> {
  for (const { txHash, block } of takenBack)
    needs.log.error(
      {
        alert: 'payment-orphaned',
        merchant: receipt.merchant,
        receiptId: receipt.id,
        transactionHash: txHash,
        blockNumber: block.number.toString(),
      },
      'a reorg took back a payment that had been credited',
    )
  await enqueueReceiptNotice(needs, receipt, { previousStatus: receipt.status, suffix: 'orphaned' })
}

function paidFacts(last: Payment, summary: PaymentSummary | undefined, total: Cents) {
  assert(summary && total > 0n, 'what was paid was attempted')
  return {
    // Coin without a transaction of its own is keyed by the block's hash, which is no transaction's.
    transactionHash: last.txHash === last.block.hash ? undefined : last.txHash,
    transactionAt: last.block.at,
    token: summary.token,
    units: summary.received,
    buyerWallet: last.payer,
  }
}

function isChanged(before: PaymentSummary | undefined, after: PaymentSummary | undefined): boolean {
  return after !== undefined && (!before || writePayment(before) !== writePayment(after))
}
