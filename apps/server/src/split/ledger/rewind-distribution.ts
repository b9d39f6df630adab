import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import {
  bool,
  count,
  group,
  int8,
  named,
  numeric,
  optional,
  type Parts,
  text,
  time,
} from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { findSplitVersion } from '../find-split.ts'
import { type ArrivalKind, comparePlaces, type Place, type SplitEvent } from '../split-event.ts'
import { findSplitOwners } from '../store.ts'
import { recordDue } from './due-store.ts'
import { emptyLedger } from './ledger.ts'
import { mergeEvents } from './merge-events.ts'
import { insertArrivals, type LedgerKey, saveLedger, saveReceivedAfter, saveSettlements } from './store.ts'

/** Marks a merchant's rows above a fork as orphaned, and rebuilds the ledgers. Returns the lost sweeps. */
export async function rewindDistribution(
  tx: Database,
  merchant: Wallet,
  chain: number,
  above: bigint,
  at: UnixMs,
): Promise<{ lostSweeps: Hex[] }> {
  const lostArrivals = await tx.rows(orphanArrivals({ merchant, chain, above, at }))
  const lostReleases = await tx.rows(orphanReleases({ merchant, chain, above, at }))
  const keys = new Map<string, LedgerKey>()
  for (const { split, token } of [...lostArrivals, ...lostReleases]) {
    keys.set(`${split}/${token}`, { merchant, chain, split, token })
  }
  for (const key of keys.values()) await rebuild(tx, key)
  return { lostSweeps: lostArrivals.flatMap((row) => (row.kind === 'sweep' ? [row.txHash] : [])) }
}

export async function rebuild(tx: Database, key: LedgerKey): Promise<void> {
  const [owner] = await findSplitOwners(tx, key.chain, [key.split])
  const split = owner && (await findSplitVersion(tx, owner.merchant, owner.version))
  assert(split, 'the ledger contains only our splits')
  await tx.run(unsettle(key))
  const rows = await tx.rows(listEvents(key))
  const events = rows
    .map(toEvent)
    // An inferred arrival has the position of the event from which it was inferred, and precedes that event.
    .sort(
      (a, b) =>
        comparePlaces(a.place, b.place) || Number(b.kind === 'arrived') - Number(a.kind === 'arrived'),
    )
  const merged = mergeEvents({ ledger: emptyLedger, unsettled: [] }, split.recipients, events)
  await insertArrivals(
    tx,
    key,
    merged.arrivals.map((arrival) => ({ ...arrival, receiptId: undefined })),
  )
  await saveReceivedAfter(tx, key, merged.arrivals)
  await saveSettlements(tx, key, merged.settlements)
  await saveLedger(tx, key, merged.ledger)
  await recordDue(tx, split, key, merged.ledger)
}

const lostRow = {
  split: named('split_address', text<Wallet>()),
  token: named('token_address', text<Wallet>()),
  txHash: text<Hex>(),
  kind: text(),
}

const place: Parts<Place> = {
  blockNumber: int8(),
  blockHash: text(),
  at: named('block_at', time()),
  transactionHash: named('tx_hash', text()),
  logIndex: count(),
}

type BookedEvent = {
  readonly kind: ArrivalKind | 'distributed' | 'released' | 'held'
  readonly account: Wallet | undefined
  readonly amount: bigint
  readonly isUnitKept: boolean
  readonly place: Place
}

const bookedEvent: Parts<BookedEvent> = {
  kind: text(),
  account: optional(text()),
  amount: numeric(),
  isUnitKept: bool(),
  place: group(place),
}

function toEvent({ kind, account, amount, isUnitKept, place }: BookedEvent): SplitEvent {
  if (kind === 'distributed') return { kind, total: amount, isUnitKept, place }
  if (kind === 'released' || kind === 'held') {
    assert(account, 'an outgoing transfer has a recipient')
    return { kind, account, amount, place }
  }
  return { kind: 'arrived', how: kind, amount, reference: undefined, deposit: undefined, place }
}

const orphanArrivals = statement({
  name: 'orphan-split-arrivals',
  reads: lostRow,
  text: `UPDATE split_arrival SET orphaned_at = :at
    WHERE merchant = :merchant AND chain = :chain AND block_number > :above AND orphaned_at IS NULL
    RETURNING split_address, token_address, tx_hash, kind`,
})

const orphanReleases = statement({
  name: 'orphan-split-releases',
  reads: lostRow,
  text: `UPDATE split_release SET orphaned_at = :at
    WHERE merchant = :merchant AND chain = :chain AND block_number > :above AND orphaned_at IS NULL
    RETURNING split_address, token_address, tx_hash, kind`,
})

const unsettle = statement({
  name: 'unsettle-split-arrivals',
  text: `UPDATE split_arrival SET distributed_tx = NULL, distributed_block = NULL, distributed_at = NULL, held = NULL
    WHERE merchant = :merchant AND chain = :chain AND split_address = :split AND token_address = :token
      AND orphaned_at IS NULL`,
})

const listEvents = statement({
  name: 'list-split-events',
  reads: bookedEvent,
  text: `SELECT kind, tx_hash, log_index, NULL AS account, amount, block_number, block_hash, block_at,
      false AS is_unit_kept
    FROM split_arrival
    WHERE merchant = :merchant AND chain = :chain AND split_address = :split AND token_address = :token
      AND orphaned_at IS NULL
    UNION ALL
    SELECT kind, tx_hash, log_index, account, coalesce(received_total, amount), block_number, block_hash, block_at,
      is_unit_kept
    FROM split_release
    WHERE merchant = :merchant AND chain = :chain AND split_address = :split AND token_address = :token
      AND orphaned_at IS NULL`,
})
