import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Split } from '../split.ts'
import type { SplitEvent } from '../split-event.ts'
import { recordDue } from './due-store.ts'
import { foldEvents, paysHeld } from './fold-events.ts'
import {
  findLedger,
  insertArrivals,
  insertReleases,
  type LedgerKey,
  listUnsettled,
  saveLedger,
  saveSettlements,
} from './store.ts'

/** What recording events changed that others wait for. */
export type RecordedDistribution = {
  /** The split owes somebody something of this token. */
  readonly isDue: boolean
  /** Receipts with an arrival that was settled. */
  readonly receipts: readonly string[]
}

/**
 * Writes a row of final events into the books of one split in one token, and settles what they settle.
 *
 * In the caller's transaction, which must also move the cursor: events are counted once because the range
 * they stand in is read once.
 *
 * @param receiptIds - By reference: the receipt that money under it belongs to, if it is one of this split.
 */
export async function recordDistribution(
  tx: Database,
  split: Split,
  token: Wallet,
  events: readonly SplitEvent[],
  receiptIds: ReadonlyMap<Hex, string>,
): Promise<RecordedDistribution> {
  const { merchant, chain, recipients } = split
  const key: LedgerKey = { merchant, chain, split: split.address, token }
  const before = await findLedger(tx, key)
  const unsettled = await listUnsettled(tx, key, paysHeld(before, recipients, events))
  const folded = foldEvents({ ledger: before, unsettled }, recipients, events)
  const arrivals = folded.arrivals.map((arrival) => ({
    ...arrival,
    receiptId: arrival.reference && receiptIds.get(arrival.reference),
  }))

  await insertArrivals(tx, key, arrivals)
  await insertReleases(
    tx,
    key,
    events.filter((event) => event.kind !== 'arrived'),
  )
  const receipts = await saveSettlements(tx, key, folded.settlements)
  await saveLedger(tx, key, folded.ledger)
  const isDue = await recordDue(tx, split, key, folded.ledger)
  return { isDue, receipts }
}
