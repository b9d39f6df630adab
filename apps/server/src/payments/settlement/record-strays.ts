import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { FoundLog } from '../ledger/known-log.ts'
import { returnLog } from '../ledger/known-log-store.ts'
import type { Stray } from '../ledger/match-transfer.ts'
import { savePlaces } from '../ledger/place-store.ts'
import type { ReturnedLog } from '../ledger/recognise-found.ts'
import { recordUnmatched } from '../ledger/unmatched.ts'

type Needs = { tx: Database; random: Random; clock: Clock }

/**
 * Puts money that no receipt explains into its merchants' inboxes, and notes its blocks for a reorg. Safe to
 * repeat. Two statements, however much it is.
 */
export async function recordStrays(needs: Needs, chain: number, strays: readonly Stray[]): Promise<void> {
  const entries = strays.map((stray) => ({ ...stray, receiptId: stray.target?.receiptId }))
  await recordUnmatched(needs, chain, entries, needs.clock.now())
  await placeStrays(needs.tx, chain, strays)
}

/** Has a case of an inbox stand in the block its money is in now. */
export async function returnCase(
  { tx }: Pick<Needs, 'tx'>,
  chain: number,
  { was, found }: ReturnedLog,
): Promise<void> {
  await returnLog(tx, chain, was, found)
  await placeStrays(tx, chain, [found])
}

async function placeStrays(tx: Database, chain: number, strays: readonly FoundLog[]): Promise<void> {
  const places = strays.map((stray) => {
    return { ...stray, receiptId: undefined, blockNumber: stray.block.number, wanted: undefined }
  })
  await savePlaces(tx, chain, places)
}
