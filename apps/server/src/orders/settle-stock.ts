import { isSettled } from '@sluice/protocol/receipt-status.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { limitAddress } from '../access/rate-rules.ts'
import { findCoverage } from '../chain/find-coverage.ts'
import { commitStock, findHoldEnd, releaseStock, reserveNoted } from '../inventory/reserve-stock.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { type Walk, walkItems } from '../platform/jobs/defer.ts'
import { jobNames } from '../platform/jobs/names.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import type { Log } from '../platform/log.ts'
import type { Receipt } from '../receipts/receipt.ts'
import {
  type DueReceipt,
  listDueReceipts,
  never,
  postponeReceipt,
  unwatchReceipt,
} from '../receipts/receipt-due.ts'
import { lockReceipt } from '../receipts/store.ts'
import { saveOrderStock } from './store.ts'

const batchSize = 100

type SettleStockNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly chain: { readonly id: number }
}

/** Returns the job that commits or releases the reserved stock of orders when their receipt changes. */
export function settleStockJob(needs: SettleStockNeeds): Job {
  return {
    name: jobNames.settleStock,
    everyMs: 1_000,
    async run(signal) {
      const now = needs.clock.now()
      const due = await listDueReceipts(needs.db, now, batchSize)
      const walk: Walk<DueReceipt> = {
        job: jobNames.settleStock,
        nameOf: ({ merchant, receiptId }) => ({ merchant, item: `order ${receiptId}` }),
        work: (receipt) => settleStock(needs, receipt),
        later: (receipt, at) => postponeReceipt(needs.db, receipt, at),
      }
      await walkItems(needs, due, walk, signal)
      return due.length === batchSize && !signal.aborted ? 'again' : 'done'
    },
  }
}

/**
 * Updates the stock of one order to match its receipt. Safe to repeat and to run concurrently: the receipt's
 * row lock protects every status change.
 *
 * An order with released stock stays watched: a late payment takes the remaining stock.
 */
export async function settleStock(needs: SettleStockNeeds, due: DueReceipt): Promise<void> {
  const { clock, log } = needs
  const { scannedTo } = await findCoverage(needs.db, needs.chain.id)
  await needs.db.transaction(async (tx) => {
    const { merchant, receiptId } = due
    const receipt = await lockReceipt(tx, merchant, receiptId)
    assert(receipt, 'a receipt is never deleted')
    const now = clock.now()
    const holdEnd = await findHoldEnd(tx, merchant, receiptId)
    const verdict = evaluateStock(receipt, now, scannedTo, holdEnd)
    if (verdict.kind === 'keep') {
      await postponeReceipt(tx, due, verdict.until)
    } else if (verdict.kind === 'give-back') {
      await releaseStock(tx, merchant, receiptId, now)
      await saveOrderStock(tx, merchant, receiptId, { stock: 'released', missing: [], at: now })
      await postponeReceipt(tx, due, never)
    } else {
      const taken = await commitStock(tx, merchant, receiptId, now)
      const missing = taken.map((each) => ({ productId: each.productId, qty: each.missing }))
      await saveOrderStock(tx, merchant, receiptId, { stock: 'committed', missing, at: now })
      await unwatchReceipt(tx, due)
      if (missing.length > 0)
        log.warn({ merchant, order: receiptId }, 'an order was paid after its stock had been sold')
    }
  })
}

type StockVerdict =
  | { readonly kind: 'take' }
  | { readonly kind: 'give-back' }
  | { readonly kind: 'keep'; readonly until: UnixMs }

const lookAgainMs = 15_000

/**
 * Returns the action to take on a receipt's stock. Pure.
 *
 * A receipt with an attempt expires once all blocks up to its end are scanned and no payment awaits
 * confirmation. Before that, a payment sent in time may be unread.
 *
 * @param scannedTo - Time of the last scanned block, if any.
 * @param holdEnd - End of a storefront order's reservation, which can precede the receipt's.
 */
export function evaluateStock(
  receipt: Pick<Receipt, 'status' | 'expiresAt' | 'cancelledAt' | 'payment'>,
  now: UnixMs,
  scannedTo: UnixMs | undefined,
  holdEnd?: UnixMs,
): StockVerdict {
  const { status, payment } = receipt
  const end = receipt.cancelledAt ?? receipt.expiresAt
  const expiresAt = holdEnd !== undefined && (end === undefined || holdEnd < end) ? holdEnd : end
  if (isSettled(status)) return { kind: 'take' }
  if (status === 'failed') return { kind: 'give-back' }
  if (status === 'paid - ach pending' || expiresAt === undefined) return { kind: 'keep', until: never }
  if (now < expiresAt) return { kind: 'keep', until: expiresAt }
  if (!payment || payment.state === 'none') return { kind: 'give-back' }
  const isWaiting = payment.state === 'seen' || scannedTo === undefined || scannedTo < expiresAt
  return isWaiting ? { kind: 'keep', until: addMs(now, lookAgainMs) } : { kind: 'give-back' }
}

const reservedForMs = 15 * 60_000

/**
 * Reserves the stock of a storefront order when its buyer starts to pay. The caller must hold the receipt's
 * lock. If other buyers hold the stock, the buyer can still pay, and takes the remaining stock.
 */
export async function reserveForBuyer(
  { tx, clock }: { readonly tx: Database; readonly clock: Pick<Clock, 'now'> },
  due: DueReceipt,
  address: string,
): Promise<void> {
  const { merchant, receiptId } = due
  const now = clock.now()
  const until = addMs(now, reservedForMs)
  const by = { address: limitAddress(address), now, until }
  if ((await reserveNoted(tx, merchant, receiptId, by)) === 'nothing') return
  await saveOrderStock(tx, merchant, receiptId, { stock: 'reserved', missing: [], at: now })
  await postponeReceipt(tx, due, until)
}
