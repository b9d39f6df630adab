import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import type { Stray } from './match-transfer.ts'
import { recordUnmatched } from './unmatched.ts'
import { savePlaces } from './watch-store.ts'

/** Puts money that no receipt explains into its merchant's inbox, and notes its block for a reorg. Safe to repeat. */
export async function recordStray(
  needs: { tx: Database; random: Random; clock: Clock },
  chain: number,
  stray: Stray,
): Promise<void> {
  const entry = { ...stray, receiptId: stray.target?.receiptId }
  await recordUnmatched(needs, chain, entry, needs.clock.now())
  const place = { ...stray, receiptId: undefined, blockNumber: stray.block.number, wanted: undefined }
  await savePlaces(needs.tx, chain, [place])
}
