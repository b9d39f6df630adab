import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import type { Stray } from './match-transfer.ts'
import { recordUnmatched } from './unmatched.ts'
import { savePlaces } from './watch-store.ts'

/**
 * Puts money that no receipt explains into its merchants' inboxes, and notes its blocks for a reorg. Safe to
 * repeat. Two statements, however much it is.
 */
export async function recordStrays(
  needs: { tx: Database; random: Random; clock: Clock },
  chain: number,
  strays: readonly Stray[],
): Promise<void> {
  const entries = strays.map((stray) => ({ ...stray, receiptId: stray.target?.receiptId }))
  await recordUnmatched(needs, chain, entries, needs.clock.now())
  const places = strays.map((stray) => {
    return { ...stray, receiptId: undefined, blockNumber: stray.block.number, wanted: undefined }
  })
  await savePlaces(needs.tx, chain, places)
}
