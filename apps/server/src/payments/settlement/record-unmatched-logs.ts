import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { FoundLog, ReturnedLog } from '../ledger/known-log.ts'
import { returnLogs } from '../ledger/known-log-store.ts'
import type { UnmatchedLog } from '../ledger/match-transfer.ts'
import { savePlaces } from '../ledger/place-store.ts'
import { recordUnmatched } from '../ledger/unmatched.ts'

type Needs = { tx: Database; random: Random; clock: Clock }

/**
 * Puts money that no receipt explains into its merchants' inboxes, and notes its blocks for a reorg. Safe to
 * repeat. Few statements, however much it is.
 */
export async function recordUnmatchedLogs(
  needs: Needs,
  chain: number,
  unmatchedLogs: readonly UnmatchedLog[],
): Promise<void> {
  const entries = unmatchedLogs.map((unmatchedLog) => ({
    ...unmatchedLog,
    receiptId: unmatchedLog.target?.receiptId,
  }))
  await recordUnmatched(needs, chain, entries, needs.clock.now())
  await placeUnmatchedLogs(needs.tx, chain, unmatchedLogs)
}

/** Has cases of a merchant's inbox stand in the blocks their money is in now. */
export async function returnCases(
  { tx }: Pick<Needs, 'tx'>,
  chain: number,
  returned: readonly ReturnedLog[],
): Promise<void> {
  await returnLogs(tx, chain, returned)
  await placeUnmatchedLogs(
    tx,
    chain,
    returned.map(({ found }) => found),
  )
}

async function placeUnmatchedLogs(
  tx: Database,
  chain: number,
  unmatchedLogs: readonly FoundLog[],
): Promise<void> {
  const places = unmatchedLogs.map((unmatchedLog) => {
    return {
      ...unmatchedLog,
      receiptId: undefined,
      blockNumber: unmatchedLog.block.number,
      wanted: undefined,
    }
  })
  await savePlaces(tx, chain, places)
}
