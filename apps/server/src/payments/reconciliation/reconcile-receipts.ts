import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { walkItems } from '../../platform/jobs/defer.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import { changeStatus } from '../../receipts/change-status.ts'
import { customerTotalCents } from '../../receipts/receipt.ts'
import { recordProgress } from '../../receipts/record-progress.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { findDistributionCursor } from '../../split/ledger/cursor-store.ts'
import { isEnough } from '../ledger/evaluate-payment.ts'
import { listPayments } from '../ledger/store.ts'
import { listAppliedMoney } from './applied-money.ts'
import { type ArrivedMoney, evaluateFunds } from './evaluate-funds.ts'
import {
  dropReconcile,
  listArrivedMoney,
  listPaidMoney,
  listQueued,
  postponeReconcile,
  type QueuedReceipt,
} from './store.ts'

const batchSize = 100
const shortestPauseMs = 1_000
const longestPauseMs = 86_400_000

export type ReconcileNeeds = {
  readonly db: Database
  readonly chain: { readonly id: number }
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * Returns the job that moves paid receipts to `reconciled` once their funds are distributed.
 *
 * The pause between checks of a receipt grows with the receipt's age. A new distribution queues the receipt
 * immediately.
 */
export function reconcileReceiptsJob(needs: ReconcileNeeds): Job {
  const { db, clock } = needs
  return {
    name: jobNames.reconcileReceipts,
    everyMs: 2_000,
    async run() {
      const now = clock.now()
      const queued = await listQueued(db, now, batchSize)
      let moved = 0
      await walkItems(needs, queued, {
        job: jobNames.reconcileReceipts,
        nameOf: ({ merchant, receiptId }) => ({ merchant, item: `receipt ${receiptId}` }),
        async work(receipt) {
          const outcome = await reconcileReceipt(needs, receipt)
          if (outcome === 'reconciled') moved++
          if (outcome === 'not-yet')
            await postponeReconcile(db, receipt, nextLook(clock.now(), receipt.queuedAt))
          else await dropReconcile(db, receipt)
        },
        later: (receipt, at) => postponeReconcile(db, receipt, at),
      })
      if (moved > 0) await notifyJob(needs, jobNames.deliverWebhooks)
      return queued.length === batchSize ? 'again' : 'done'
    },
  }
}

/**
 * Reconciles a receipt if its funds are distributed. Safe to repeat: it locks the receipt first.
 *
 * Returns `over` if no later check can change the result.
 */
export async function reconcileReceipt(
  needs: ReconcileNeeds,
  queued: Pick<QueuedReceipt, 'merchant' | 'receiptId'>,
): Promise<'reconciled' | 'not-yet' | 'over'> {
  const { db, chain, clock, random, log } = needs
  const { merchant, receiptId } = queued
  return db.transaction(async (tx) => {
    const receipt = await lockReceipt(tx, merchant, receiptId)
    if (!receipt || receipt.status === 'reconciled' || receipt.status === 'refunded') return 'over'
    if (receipt.status !== 'paid' || receipt.payment?.state === 'orphaned') return 'not-yet'
    const cursor = await findDistributionCursor(tx, chain.id)
    if (!cursor) return 'not-yet'
    // A receipt that an admin marked as paid, fully or partly, stays `paid`.
    const payments = await listPayments(tx, merchant, receiptId)
    const credited = payments.filter(({ state }) => state === 'credited')
    if (!isEnough(customerTotalCents(receipt), credited)) return 'not-yet'
    const [paid, arrived] = [
      await listPaidMoney(tx, chain.id, merchant, receiptId),
      await listArrivedMoney(tx, chain.id, merchant, receiptId),
    ]
    const applied = await listAppliedMoney(tx, chain.id, merchant, receiptId)
    const verdict = evaluateFunds([...paid, ...applied.paid], [...arrived, ...applied.arrived], cursor.number)
    if (verdict.kind === 'not-yet') return 'not-yet'

    const detail = describe(verdict.arrivals)
    await recordProgress({ tx, clock }, merchant, receiptId, { entries: [{ kind: 'distributed', detail }] })
    await changeStatus({ tx, clock, random, log }, merchant, receiptId, { kind: 'funds_distributed', detail })
    return 'reconciled'
  })
}

function describe(arrivals: readonly ArrivedMoney[]) {
  const held = arrivals.flatMap((arrival) => (arrival.held ? [arrival.held] : []))
  return {
    transactions: [...new Set(arrivals.flatMap(({ settledBy }) => settledBy ?? []))],
    ...(held.length > 0 && { held }),
  }
}

function nextLook(now: UnixMs, queuedAt: UnixMs): UnixMs {
  const pause = Math.min(longestPauseMs, Math.max(shortestPauseMs, (now - queuedAt) / 2))
  return addMs(now, Math.round(pause))
}
