import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Split } from '../split.ts'
import type { SplitEvent } from '../split-event.ts'
import { recordDue } from './due-store.ts'
import { mergeEvents, paysHeld } from './merge-events.ts'
import { rebuild } from './rewind-distribution.ts'
import {
  findLedger,
  insertArrivals,
  insertReleases,
  type LedgerKey,
  listUnsettled,
  saveLedger,
  saveSettlements,
} from './store.ts'

type RecordedDistribution = {
  readonly isDue: boolean
  readonly receipts: readonly string[]
}

/**
 * Records final events of one split in one token, and settles arrivals.
 *
 * The same transaction must move the cursor, so that each event counts once.
 *
 * @param receiptIds - By reference.
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
  const merged = mergeEvents({ ledger: before, unsettled }, recipients, events)
  const arrivals = merged.arrivals.map((arrival) => ({
    ...arrival,
    receiptId: arrival.reference && receiptIds.get(arrival.reference),
  }))

  await insertArrivals(tx, key, arrivals)
  await insertReleases(
    tx,
    key,
    events.filter((event) => event.kind !== 'arrived'),
  )
  const receipts = await saveSettlements(tx, key, merged.settlements)
  await saveLedger(tx, key, merged.ledger)
  const isDue = await recordDue(tx, split, key, merged.ledger)
  return { isDue, receipts }
}

/**
 * Inserts missed events into the ledger, and rebuilds it in chain order. Safe to repeat.
 *
 * Inferred arrivals are removed first, because the missed events may represent the same money. The
 * transaction must hold the cursor's lock.
 *
 * @param receiptIds - By reference.
 */
export async function rebook(
  tx: Database,
  split: Split,
  token: Wallet,
  events: readonly SplitEvent[],
  receiptIds: ReadonlyMap<Hex, string>,
  at: UnixMs,
): Promise<void> {
  const { merchant, chain, address } = split
  const key: LedgerKey = { merchant, chain, split: address, token }
  await tx.run(orphanInferred({ merchant, chain, address, token, at }))
  const arrived = events.filter((event) => event.kind === 'arrived')
  const arrivals = arrived.map((event) => ({
    ...event,
    receivedAfter: 0n, // set by the rebuild below
    transactionHash: event.place.transactionHash,
    logIndex: event.place.logIndex,
    receiptId: event.reference && receiptIds.get(event.reference),
  }))
  await insertArrivals(tx, key, arrivals)
  await insertReleases(
    tx,
    key,
    events.filter((event) => event.kind !== 'arrived'),
  )
  await rebuild(tx, key)
}

// An inferred arrival has the log position of the event from which it was inferred, and no logged arrival has
// that position.
const orphanInferred = statement({
  name: 'orphan-inferred-arrivals',
  text: `UPDATE split_arrival AS a SET orphaned_at = :at
    WHERE a.merchant = :merchant AND a.chain = :chain AND a.split_address = :address AND a.token_address = :token
      AND a.kind = 'plain'
      AND a.orphaned_at IS NULL AND EXISTS (SELECT 1 FROM split_release AS r WHERE r.merchant = a.merchant
        AND r.chain = a.chain AND r.tx_hash = a.tx_hash AND r.log_index = a.log_index)`,
})
