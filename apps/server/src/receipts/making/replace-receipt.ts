import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../receipt.ts'
import { lockReceipt, replaceReceipt, saveProgress } from '../store.ts'
import { refuseIfTaken } from './refuse-if-taken.ts'

/**
 * Puts `next` in the place of the receipt with its id, decided under the row's lock: an attempt opened or
 * a payment seen meanwhile wins. The history keeps what was replaced.
 *
 * @throws {Refusal} `receipt_exists`.
 */
export async function replaceIfUnpaid(
  needs: { db: Database; clock: Clock },
  next: Receipt,
): Promise<Receipt> {
  return needs.db.transaction(async (tx) => {
    const before = await lockReceipt(tx, next.merchant, next.id)
    assert(before, 'a receipt is never deleted')
    if (before.contentHash === next.contentHash) return before
    refuseIfTaken(before)
    const now = needs.clock.now()
    const receipt: Receipt = {
      ...next,
      // How far the old offers were, and what they asked for, is nothing of this one.
      payment: undefined,
      splitVersion: before.splitVersion ?? next.splitVersion,
      createdAt: before.createdAt,
      updatedAt: now,
      historyCount: before.historyCount + 1n,
    }
    await replaceReceipt(tx, receipt, before)
    await saveProgress(tx, receipt, {
      seq: receipt.historyCount,
      kind: 'replaced',
      fromStatus: undefined,
      toStatus: undefined,
      detail: { totalCents: Number(before.totalCents), contentHash: before.contentHash },
      at: now,
    })
    return receipt
  })
}
