import type { Cents } from '@sluice/protocol/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { afterCommit } from '../../platform/database/inside-transaction.ts'
import { type Log, withKnownFields } from '../../platform/log.ts'
import { changeStatusOf } from '../../receipts/change-status.ts'
import { customerTotalCents, type PaymentSummary, type Receipt } from '../../receipts/receipt.ts'
import { type PaymentFacts, recordProgressOf } from '../../receipts/record-progress.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { writePayment } from '../../receipts/table.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { closeAttempts, listAttempts } from '../attempts/store.ts'
import {
  type FinalityPolicy,
  type FinalityTags,
  finalityOf,
  findPolicy,
  requiredFinality,
} from '../cursors/finality.ts'
import { isEnough, type Worth } from '../ledger/evaluate-payment.ts'
import type { ReturnedLog } from '../ledger/known-log.ts'
import { returnLogs } from '../ledger/known-log-store.ts'
import type { Finding } from '../ledger/match-transfer.ts'
import { compareOnChain, isReversed, type Payment, textOfKey } from '../ledger/payment.ts'
import { type ReceiptRef, savePlaces, wantedNext } from '../ledger/place-store.ts'
import { listPayments } from '../ledger/store.ts'
import { summarizePayments } from '../ledger/summarize-payments.ts'
import { creditPayments } from './credit-payments.ts'
import { recordFindings } from './record-findings.ts'
import { recordUnmatchedLogs } from './record-unmatched-logs.ts'
import { findReversed, listVanished, reportReversals } from './report-reversals.ts'

export type SettleContext = {
  readonly chain: number
  readonly tags: FinalityTags
  readonly coveredTo: UnixMs
  /** Policy of the deployment. The merchant's own policy takes precedence. */
  readonly policy: FinalityPolicy
}

export type ChainChanges = {
  readonly findings?: readonly Finding[]
  readonly returned?: readonly ReturnedLog[]
  /** Blocks removed in this step. Payments in `returned` may have been in these blocks. */
  readonly lost?: readonly Hex[]
}

type Needs = { tx: Database; clock: Clock; random: Random; log: Log }

/**
 * Updates a receipt from the chain, in the caller's transaction. Safe to repeat.
 *
 * Records found and lost payments, credits, expired offers, the summary and the status.
 *
 * @returns whether the receipt was paid or a credited payment was reversed.
 */
export async function settleReceipt(
  needs: Needs,
  context: SettleContext,
  { merchant, receiptId }: ReceiptRef,
  changes: ChainChanges = {},
): Promise<{ isNew: boolean }> {
  const { tx, clock } = needs
  const { chain, tags, coveredTo } = context
  const receipt = await lockReceipt(tx, merchant, receiptId)
  assert(receipt, 'a receipt is never deleted')
  const now = clock.now()
  const total = customerTotalCents(receipt)
  const policy = await findPolicy(tx, context.policy, merchant)
  const attempts = await listAttempts(tx, merchant, receiptId)
  const required = requiredFinality(policy, total)
  const ref = { merchant, receiptId }
  const back = await returnLogs(tx, chain, changes.returned ?? [])
  assert(back.length === (changes.returned ?? []).length, 'a known payment is in the receipt')
  const before = await listPayments(tx, merchant, receiptId)
  const known = { total, attempts, count: before.length }
  const { fresh, surplus } = await recordFindings(tx, known, changes.findings ?? [], now)
  const tooMany = surplus.map((finding) => ({ ...finding, reason: 'too-many-payments' as const }))
  await recordUnmatchedLogs(needs, chain, tooMany)
  const isFirst = before.length === 0
  const evaluated = { total, payments: [...before, ...fresh], confirmationLevel: { tags, required }, now }
  const { payments, credited } = await creditPayments(needs, chain, receipt, evaluated)
  await recordPlaces(tx, chain, tags, payments)

  const isCredited = ({ state }: Pick<Payment, 'state'>) => state === 'credited'
  const counted = payments.filter(isCredited)
  const isPaid = !isSettled(receipt.status) && isEnough(total, counted)
  const kept = await closeOver(tx, attempts, { coveredTo, isPaid, now })
  const vanished = listVanished(receipt, payments, changes.lost ?? [])
  const hasVanished = vanished.isGone
  const summary = summarizePayments({ total, attempts: kept, payments, hasVanished, tags, coveredTo })
  const reversed = findReversed(payments, changes.lost ?? [], vanished.now)
  const noticed = listNoticed(changes, back)
  const restored = noticed.length > 0 || credited.length > 0 ? noticed : foundElsewhere(receipt, payments)
  const entries = [
    ...entriesOf('payment_seen', isFirst ? fresh.slice(0, 1) : []),
    ...entriesOf('payment_orphaned', reversed),
    ...entriesOf('payment_restored', restored),
    ...entriesOf('payment_credited', credited),
  ]
  logPayments(needs.log, ref, { seen: fresh, credited, reversed })
  const facts = hasFacts(receipt, changes, counted) && factsNow(receipt, attempts, payments, summary)
  const recorded = isChanged(receipt.payment, summary) || entries.length > 0 || facts
  const after = recorded
    ? await recordProgressOf({ tx, clock }, receipt, {
        ...(summary && { payment: summary }),
        ...(facts && { facts }),
        entries,
      })
    : receipt

  const last = payments.findLast(isCredited)
  if (!isPaid || !last) {
    const isNew = await reportReversals(needs, { before: receipt, after }, { reversed, restored, credited })
    return { isNew }
  }
  const change = await changeStatusOf(needs, after, {
    kind: 'payment_verified',
    detail: { transactionHash: last.txHash, attemptId: last.attemptId },
    attemptId: last.attemptId,
    paid: paidFacts(last, attempts, summary, total),
  })
  return { isNew: change.kind === 'moved' }
}

function entriesOf<Kind extends string>(kind: Kind, payments: readonly Payment[]) {
  return payments.map(({ txHash, token, units, block, isLate }) => ({
    kind,
    detail: {
      transactionHash: txHash,
      token: token.symbol,
      amount: units.toString(),
      blockNumber: block.number.toString(),
      blockHash: block.hash,
      isLate,
    },
  }))
}

function listNoticed({ returned = [], lost = [] }: ChainChanges, back: readonly Payment[]): Payment[] {
  const lostNow = new Set(lost)
  const lostBefore = returned.filter(({ was }) => was.isReversed && !lostNow.has(was.block.hash))
  const noticed = new Set(lostBefore.map(({ found }) => textOfKey(found)))
  return back.filter((payment) => noticed.has(textOfKey(payment))).sort(compareOnChain)
}

function hasFacts(receipt: Receipt, changes: ChainChanges, counted: readonly Worth[]): boolean {
  if (receipt.paidUnits !== undefined)
    return receipt.payment?.state === 'orphaned' || Boolean(changes.lost ?? changes.returned)
  return receipt.providerSession?.isPaid === true && isEnough(customerTotalCents(receipt), counted)
}

function foundElsewhere({ payment }: Receipt, payments: readonly Payment[]): readonly Payment[] {
  if (payment?.state !== 'orphaned' || payments.some(isReversed)) return []
  return payments.filter(({ state }) => state === 'credited').slice(-1)
}

async function recordPlaces(
  tx: Database,
  chain: number,
  tags: FinalityTags,
  payments: readonly Payment[],
): Promise<void> {
  const inChain = payments.filter(({ state }) => state !== 'orphaned')
  const places = inChain.map((payment) => {
    const wanted = wantedNext(finalityOf(tags, payment.block.number))
    return { ...payment, blockNumber: payment.block.number, wanted } as const
  })
  await savePlaces(tx, chain, places)
}

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

/** Returns changed payment fields: a receipt never shows a transaction that is not on the chain. */
function factsNow(
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

function paidFacts(
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

function isChanged(before: PaymentSummary | undefined, after: PaymentSummary | undefined): boolean {
  return after !== undefined && (!before || textOf(before) !== textOf(after))
}

function textOf(summary: PaymentSummary): string {
  return JSON.stringify(writePayment(summary))
}

const mostLines = 10

type PaymentNews = Readonly<Record<'seen' | 'credited' | 'reversed', readonly Payment[]>>

function logPayments(log: Log, { merchant, receiptId }: ReceiptRef, changes: PaymentNews): void {
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
