import type { FailureFields } from '@sluice/protocol/failures.ts'
import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { pointsFor, recordPoints, takeBackPoints } from '../loyalty/points.ts'
import type { Database } from '../platform/database/database.ts'
import { afterCommit } from '../platform/database/inside-transaction.ts'
import type { Log } from '../platform/log.ts'
import { findPointsPerDollar } from '../shop/store.ts'
import type { ProviderSession, Receipt } from './receipt.ts'
import { markMoved } from './receipt-due.ts'
import { enqueueReceiptEvent } from './receipt-event.ts'
import { decideStatus, type TriggerKind } from './status.ts'
import { lockReceipt, saveStatus } from './store.ts'

export type Trigger = {
  readonly kind: TriggerKind
  readonly detail: Readonly<Record<string, unknown>>
  /** Payment shown on the receipt. Set when a payment is verified. */
  readonly paid?: PaidFacts
  readonly failure?: FailureFields
  /** Attempt that caused the trigger. A failure is stale unless this is the receipt's current attempt. */
  readonly attemptId?: string
  readonly providerSession?: ProviderSession | undefined
}

export type PaidFacts = {
  /** Absent if no single transaction paid the receipt. */
  readonly transactionHash: string | undefined
  readonly transactionAt: UnixMs
  readonly token: string
  readonly units: TokenUnits
  readonly buyerWallet: Wallet | undefined
}

export type StatusChange =
  | { readonly kind: 'moved'; readonly from: ReceiptStatus; readonly receipt: Receipt }
  | { readonly kind: 'stayed'; readonly because: string; readonly receipt: Receipt }

/**
 * Changes the status of a receipt. Every status change goes through this function or {@link changeStatusOf}.
 *
 * Locks the row, decides, saves, appends to the history, enqueues the webhook and settles the buyer's points,
 * all in the caller's transaction. A trigger that changes nothing is a normal result.
 *
 * See docs/contract.md#receipt-statuses.
 */
export async function changeStatus(
  needs: { tx: Database; clock: Clock; random: Random; log: Log },
  merchant: Wallet,
  id: ReceiptId,
  trigger: Trigger,
): Promise<StatusChange> {
  const before = await lockReceipt(needs.tx, merchant, id)
  assert(before, 'the receipt exists')
  return changeStatusOf(needs, before, trigger)
}

/**
 * Same as {@link changeStatus}, for a caller that holds the row lock.
 *
 * @param before - Current state of the locked row.
 */
export async function changeStatusOf(
  needs: { tx: Database; clock: Clock; random: Random; log: Log },
  before: Receipt,
  trigger: Trigger,
): Promise<StatusChange> {
  const { merchant, id } = before
  if (isStale(before, trigger)) return { kind: 'stayed', because: 'another attempt', receipt: before }
  const verdict = decideStatus(before.status, trigger.kind)
  if (verdict.kind === 'stay') return { kind: 'stayed', because: verdict.because, receipt: before }

  const now = needs.clock.now()
  const receipt: Receipt = {
    ...before,
    ...factsOf(trigger),
    status: verdict.to,
    failure: verdict.to === 'failed' ? trigger.failure : undefined,
    historyCount: before.historyCount + 1n,
    updatedAt: now,
  }
  const visit = await saveStatus(needs.tx, receipt, {
    seq: receipt.historyCount,
    kind: 'status',
    fromStatus: before.status,
    toStatus: receipt.status,
    detail: { trigger: trigger.kind, ...trigger.detail },
    at: now,
  })
  await enqueueReceiptEvent(needs, receipt, { previousStatus: before.status, visit })
  await settlePoints(needs.tx, receipt, now)
  if (receipt.origin === 'order') await markMoved(needs.tx, merchant, id, now)
  const { status: to, transactionHash } = receipt
  const line = { merchant, receiptId: id, from: before.status, to, trigger: trigger.kind, transactionHash }
  afterCommit(() => needs.log.info(line, 'receipt status'))
  return { kind: 'moved', from: before.status, receipt }
}

/** A failure never affects a receipt that is tied to another attempt. */
function isStale({ currentAttempt }: Receipt, { kind, attemptId }: Trigger): boolean {
  if (kind !== 'failure_verified' || attemptId === undefined) return false
  return currentAttempt !== undefined && currentAttempt !== attemptId
}

function factsOf({ paid, providerSession }: Trigger): Partial<Receipt> {
  const session = providerSession && { providerSession }
  if (!paid) return { ...session }
  const { units, ...facts } = paid
  return { ...session, ...facts, paidUnits: units }
}

/**
 * Credits points to the wallet that paid, at the current rate, and removes them on a refund. Safe to repeat.
 */
async function settlePoints(tx: Database, receipt: Receipt, at: UnixMs): Promise<void> {
  const { merchant, id, status, buyerWallet: wallet } = receipt
  if (status === 'refunded') return takeBackPoints(tx, merchant, id, at)
  if (status !== 'paid' || wallet === undefined) return
  const points = pointsFor(receipt.totalCents, await findPointsPerDollar(tx, merchant))
  if (points > 0n) await recordPoints(tx, merchant, { receiptId: id, wallet, points, at })
}
