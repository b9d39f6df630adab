import { findCoverage } from '../chain/find-coverage.ts'
import { commitStock } from '../inventory/commit-stock.ts'
import { releaseStock } from '../inventory/release-stock.ts'
import { findHoldEnd } from '../inventory/reserve-stock.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { jobNames } from '../platform/jobs/names.ts'
import { type Walk, walkItems } from '../platform/jobs/set-aside.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import type { Log } from '../platform/log.ts'
import {
  type DueReceipt,
  listDueReceipts,
  never,
  postponeReceipt,
  unwatchReceipt,
} from '../receipts/receipt-due.ts'
import { lockReceipt } from '../receipts/store.ts'
import { judgeStock } from './judge-stock.ts'
import { saveOrderStock } from './store.ts'

const batchSize = 100

/** What settling stock leans on. */
export type SettleStockNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly chain: { readonly id: number }
}

/** The job that takes the stock of paid orders and gives back that of failed and expired ones. */
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
 * Brings the stock of one order to where its receipt says. Safe to repeat and to race: it is decided under the
 * lock of the receipt's row, which every change of its status takes too, and holds settle once.
 *
 * An order whose stock went back stays watched: money that comes after all takes what is still there.
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
    const verdict = judgeStock(receipt, now, scannedTo, holdEnd)
    if (verdict.kind === 'keep') {
      await postponeReceipt(tx, due, verdict.until)
    } else if (verdict.kind === 'give-back') {
      await releaseStock(tx, merchant, receiptId, now)
      await saveOrderStock(tx, merchant, receiptId, { stock: 'given_back', missing: [], at: now })
      await postponeReceipt(tx, due, never)
    } else {
      const taken = await commitStock(tx, merchant, receiptId, now)
      const missing = taken.map((each) => ({ productId: each.productId, qty: each.missing }))
      await saveOrderStock(tx, merchant, receiptId, { stock: 'taken', missing, at: now })
      await unwatchReceipt(tx, due)
      if (missing.length > 0)
        log.warn({ merchant, order: receiptId }, 'an order was paid after its stock had been sold')
    }
  })
}
