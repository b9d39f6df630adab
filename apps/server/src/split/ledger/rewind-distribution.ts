import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { Database } from '../../platform/database/database.ts'
import { findSplitVersion } from '../find-split.ts'
import { type ArrivalKind, comparePlaces, type Place, type SplitEvent } from '../split-event.ts'
import { findSplitOwners } from '../store.ts'
import { noteDue } from './due-store.ts'
import { foldEvents } from './fold-events.ts'
import { emptyLedger } from './ledger.ts'
import { insertArrivals, type LedgerKey, saveLedger, saveReceivedAfter, saveSettlements } from './store.ts'

/**
 * Takes back what a merchant's books say of blocks above `above`, which the chain has lost: the rows stay,
 * marked, and the books are made anew from those that remain. Answers the sweeps that never happened.
 */
export async function rewindDistribution(
  tx: Database,
  merchant: Wallet,
  chain: number,
  above: bigint,
  at: UnixMs,
): Promise<{ lostSweeps: Hex[] }> {
  const lostArrivals = await tx.rows<LostRow>(orphanArrivals, [merchant, chain, above, at])
  const lostReleases = await tx.rows<LostRow>(orphanReleases, [merchant, chain, above, at])
  const keys = new Map<string, LedgerKey>()
  for (const { split_address, token_address } of [...lostArrivals, ...lostReleases]) {
    const [split, token] = [split_address as Wallet, token_address as Wallet]
    keys.set(`${split}/${token}`, { merchant, chain, split, token })
  }
  for (const key of keys.values()) await rebuild(tx, key)
  return { lostSweeps: lostArrivals.flatMap((row) => (row.kind === 'sweep' ? [row.tx_hash as Hex] : [])) }
}

/** Makes the books of a split in one token anew, from its arrivals and releases in the order of the chain. */
export async function rebuild(tx: Database, key: LedgerKey): Promise<void> {
  const [owner] = await findSplitOwners(tx, key.chain, [key.split])
  const split = owner && (await findSplitVersion(tx, owner.merchant, owner.version))
  assert(split, 'books are kept of splits of ours alone')
  const values = [key.merchant, key.chain, key.split, key.token]
  await tx.run(unsettle, values)
  const rows = await tx.rows<EventRow>(listEvents, values)
  const events = rows
    .map(toEvent)
    // What came without a log of its own stands at the place of the event that showed it, and before it.
    .sort(
      (a, b) =>
        comparePlaces(a.place, b.place) || Number(b.kind === 'arrived') - Number(a.kind === 'arrived'),
    )
  const folded = foldEvents({ ledger: emptyLedger, unsettled: [] }, split.recipients, events)
  await insertArrivals(
    tx,
    key,
    folded.arrivals.map((arrival) => ({ ...arrival, receiptId: undefined })),
  )
  await saveReceivedAfter(tx, key, folded.arrivals)
  await saveSettlements(tx, key, folded.settlements)
  await saveLedger(tx, key, folded.ledger)
  await noteDue(tx, split, key, folded.ledger)
}

type LostRow = { split_address: string; token_address: string; tx_hash: string; kind: string }

type EventRow = {
  kind: ArrivalKind | 'distributed' | 'released' | 'held'
  tx_hash: string
  log_index: bigint
  account: string | null
  amount: bigint
  block_number: bigint
  block_hash: string
  block_at: bigint
  is_unit_kept: boolean
}

function toEvent(row: EventRow): SplitEvent {
  const { kind, amount } = row
  const place: Place = {
    blockNumber: row.block_number,
    blockHash: row.block_hash as Hex,
    at: Number(row.block_at) as UnixMs,
    transactionHash: row.tx_hash as Hex,
    logIndex: Number(row.log_index),
  }
  if (kind === 'distributed') return { kind, total: amount, isUnitKept: row.is_unit_kept, place }
  if (kind === 'released' || kind === 'held') return { kind, account: row.account as Wallet, amount, place }
  return { kind: 'arrived', how: kind, amount, reference: undefined, deposit: undefined, place }
}

const orphanArrivals = {
  name: 'orphan-split-arrivals',
  text: `UPDATE split_arrival SET orphaned_at = $4
    WHERE merchant = $1 AND chain = $2 AND block_number > $3 AND orphaned_at IS NULL
    RETURNING split_address, token_address, tx_hash, kind`,
}

const orphanReleases = {
  name: 'orphan-split-releases',
  text: `UPDATE split_release SET orphaned_at = $4
    WHERE merchant = $1 AND chain = $2 AND block_number > $3 AND orphaned_at IS NULL
    RETURNING split_address, token_address, tx_hash, kind`,
}

const unsettle = {
  name: 'unsettle-split-arrivals',
  text: `UPDATE split_arrival SET distributed_tx = NULL, distributed_block = NULL, distributed_at = NULL, held = NULL
    WHERE merchant = $1 AND chain = $2 AND split_address = $3 AND token_address = $4 AND orphaned_at IS NULL`,
}

const listEvents = {
  name: 'list-split-events',
  text: `SELECT kind, tx_hash, log_index, NULL AS account, amount, block_number, block_hash, block_at,
      false AS is_unit_kept
    FROM split_arrival
    WHERE merchant = $1 AND chain = $2 AND split_address = $3 AND token_address = $4 AND orphaned_at IS NULL
    UNION ALL
    SELECT kind, tx_hash, log_index, account, coalesce(received_total, amount), block_number, block_hash, block_at,
      is_unit_kept
    FROM split_release
    WHERE merchant = $1 AND chain = $2 AND split_address = $3 AND token_address = $4 AND orphaned_at IS NULL`,
}
