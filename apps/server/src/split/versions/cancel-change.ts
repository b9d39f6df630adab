import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { findSplitVersion } from '../find-split.ts'
import type { Split } from '../split.ts'
import { cancelVersion, lockSplit } from './store.ts'

/**
 * Cancels a scheduled change of recipients. Safe to repeat: a cancelled one stays cancelled.
 *
 * @param record - Called in the transaction that cancels it.
 * @throws {Refusal} `not_found` where no such version waits; one that is in force is no change any more.
 */
export async function cancelChange(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  version: bigint,
  record: (tx: Database, split: Split) => Promise<unknown> = async () => {},
): Promise<Split> {
  return needs.db.transaction(async (tx) => {
    await lockSplit(tx, merchant)
    const isCancelled = await cancelVersion(tx, merchant, version, needs.clock.now())
    const split = await findSplitVersion(tx, merchant, version)
    if (split?.state !== 'cancelled')
      throw new Refusal('not_found', 'No such change of recipients is scheduled')
    assert(split.cancelledAt !== undefined, 'it was cancelled at some time')
    if (isCancelled) await record(tx, split)
    return split
  })
}
