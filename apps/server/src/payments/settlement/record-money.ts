import type { Cents } from '@sluice/protocol/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { closeAttempts, listAttempts } from '../attempts/store.ts'
import { type FinalityTags, finalityOf, findPolicy, requiredFinality } from '../cursors/finality.ts'
import { isEnough } from '../ledger/evaluate-payment.ts'
import { returnLogs } from '../ledger/known-log-store.ts'
import type { Payment } from '../ledger/payment.ts'
import { savePlaces, wantedNext } from '../ledger/place-store.ts'
import { listPayments } from '../ledger/store.ts'
import { creditPayments } from './credit-payments.ts'
import { recordFindings } from './record-findings.ts'
import { recordUnmatchedLogs } from './record-unmatched-logs.ts'
import type { ChainChanges, SettleContext } from './settle-context.ts'

export type Money = {
  /** Offers of the receipt, after those that ended were closed. */
  readonly attempts: readonly Attempt[]
  readonly payments: readonly Payment[]
  /** Payments recorded now, credited now, and moved now to another block. */
  readonly fresh: readonly Payment[]
  readonly credited: readonly Payment[]
  readonly back: readonly Payment[]
  readonly isFirst: boolean
  /** The credited payments cover the total of a receipt that is not paid yet. */
  readonly isPaid: boolean
}

type Needs = { tx: Database; clock: Clock; random: Random; log: Log }

/** Records the findings of a locked receipt, credits payments at their finality, and closes ended offers. */
export async function recordMoney(
  needs: Needs,
  context: SettleContext,
  { receipt, total }: { readonly receipt: Receipt; readonly total: Cents },
  changes: ChainChanges,
): Promise<Money> {
  const { tx, clock } = needs
  const { chain, tags, coveredTo } = context
  const { merchant, id } = receipt
  const now = clock.now()
  const attempts = await listAttempts(tx, merchant, id)
  const returned = changes.returned ?? []
  const back = await returnLogs(tx, chain, returned)
  assert(back.length === returned.length, 'a known payment is in the receipt')
  const before = await listPayments(tx, merchant, id)
  const known = { total, attempts, count: before.length }
  const { fresh, surplus } = await recordFindings(tx, known, changes.findings ?? [], now)
  const tooMany = surplus.map((finding) => ({ ...finding, reason: 'too-many-payments' as const }))
  await recordUnmatchedLogs(needs, chain, tooMany)
  const required = requiredFinality(await findPolicy(tx, context.policy, merchant), total)
  const confirmationLevel = { tags, required }
  const evaluated = { total, payments: [...before, ...fresh], confirmationLevel, now }
  const { payments, credited } = await creditPayments(needs, chain, receipt, evaluated)
  await recordPlaces(tx, chain, tags, payments)
  const counted = payments.filter(({ state }) => state === 'credited')
  const isPaid = counted.length > 0 && !isSettled(receipt.status) && isEnough(total, counted)
  return {
    attempts: await closeOver(tx, attempts, { coveredTo, isPaid, now }),
    ...{ payments, fresh, credited, back, isFirst: before.length === 0, isPaid },
  }
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
