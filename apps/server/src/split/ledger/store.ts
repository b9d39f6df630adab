import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Arrival, SplitEvent } from '../split-event.ts'
import type { NewArrival, Settlement } from './fold-events.ts'
import { emptyLedger, type Ledger } from './ledger.ts'

/** Which books: one split in one token. */
export type LedgerKey = {
  readonly merchant: Wallet
  readonly chain: number
  readonly split: Wallet
  readonly token: Wallet
}

/** The books as of the last block read; empty where there are none yet. */
export async function findLedger(db: Database, key: LedgerKey): Promise<Ledger> {
  const row = await db.row<LedgerRow>(find, valuesOf(key))
  if (!row) return emptyLedger
  const released = Object.entries(row.released).map(([account, units]) => [account, BigInt(units)] as const)
  return {
    received: row.received,
    level: row.level,
    released: new Map(released as [Wallet, bigint][]),
    unitKeptFor: (row.unit_kept_for ?? undefined) as Wallet | undefined,
  }
}

/** Writes the books down. */
export async function saveLedger(tx: Database, key: LedgerKey, ledger: Ledger): Promise<void> {
  const released = [...ledger.released].map(([account, units]) => [account, units.toString()])
  await tx.run(save, [
    ...valuesOf(key),
    ledger.received,
    ledger.level,
    JSON.stringify(Object.fromEntries(released)),
    ledger.unitKeptFor ?? null,
  ])
}

/** Arrivals of which somebody's part is open, oldest first; with `withHeld` those of which a part is held too. */
export async function listUnsettled(db: Database, key: LedgerKey, withHeld: boolean): Promise<Arrival[]> {
  const rows = await db.rows<ArrivalRow>(unsettled, [...valuesOf(key), withHeld])
  return rows.map((row) => ({
    amount: row.amount,
    receivedAfter: row.received_after,
    transactionHash: row.tx_hash as Hex,
    logIndex: Number(row.log_index),
  }))
}

/** Stores arrivals. One whose block was lost and that came again, in another block, takes its old row. */
export async function insertArrivals(
  tx: Database,
  key: LedgerKey,
  arrivals: readonly (NewArrival & { readonly receiptId: string | undefined })[],
): Promise<void> {
  if (arrivals.length === 0) return
  await tx.run(insertNew, [
    ...valuesOf(key),
    arrivals.map(({ transactionHash }) => transactionHash),
    arrivals.map(({ logIndex }) => logIndex),
    arrivals.map(({ amount }) => amount),
    arrivals.map(({ receivedAfter }) => receivedAfter),
    arrivals.map(({ how }) => how),
    arrivals.map(({ reference }) => reference ?? null),
    arrivals.map(({ receiptId }) => receiptId ?? null),
    arrivals.map(({ place }) => place.blockNumber),
    arrivals.map(({ place }) => place.blockHash),
    arrivals.map(({ place }) => place.at),
  ])
}

/** Notes what the books had come to with each arrival, where that changed. */
export async function saveReceivedAfter(
  tx: Database,
  key: LedgerKey,
  arrivals: readonly Arrival[],
): Promise<void> {
  if (arrivals.length === 0) return
  await tx.run(renumber, [
    arrivals.map(() => key.merchant),
    arrivals.map(() => key.chain),
    arrivals.map(({ transactionHash }) => transactionHash),
    arrivals.map(({ logIndex }) => logIndex),
    arrivals.map(({ receivedAfter }) => receivedAfter),
  ])
}

/**
 * Notes what settled arrivals, and what of them is held. The first time noted stays; `held` follows.
 * Answers the receipts they belong to.
 */
export async function saveSettlements(
  tx: Database,
  key: LedgerKey,
  settlements: readonly Settlement[],
): Promise<string[]> {
  if (settlements.length === 0) return []
  const rows = await tx.rows<{ receipt_id: string | null }>(settle, [
    settlements.map(() => key.merchant),
    settlements.map(() => key.chain),
    settlements.map(({ arrival }) => arrival.transactionHash),
    settlements.map(({ arrival }) => arrival.logIndex),
    settlements.map(({ by }) => by.transactionHash),
    settlements.map(({ by }) => by.blockNumber),
    settlements.map(({ by }) => by.at),
    settlements.map(({ held }) => (held.length > 0 ? JSON.stringify(writeHeld(held)) : null)),
  ])
  return [...new Set(rows.flatMap((row) => row.receipt_id ?? []))]
}

/** Stores what left a split or was held there. */
export async function insertReleases(
  tx: Database,
  key: LedgerKey,
  events: readonly Exclude<SplitEvent, { kind: 'arrived' }>[],
): Promise<void> {
  if (events.length === 0) return
  await tx.run(insertRelease, [
    ...valuesOf(key),
    events.map(({ place }) => place.transactionHash),
    events.map(({ place }) => place.logIndex),
    events.map(({ kind }) => kind),
    events.map((event) => (event.kind === 'distributed' ? null : event.account)),
    events.map((event) => (event.kind === 'distributed' ? null : event.amount)),
    events.map((event) => (event.kind === 'distributed' ? event.total : null)),
    events.map(({ place }) => place.blockNumber),
    events.map(({ place }) => place.blockHash),
    events.map(({ place }) => place.at),
    events.map((event) => event.kind === 'distributed' && event.isUnitKept === true),
  ])
}

/** When the oldest arrival with an open part came; `undefined` where there is none. */
export async function findOldestOpen(db: Database, key: LedgerKey): Promise<UnixMs | undefined> {
  const row = await db.row<{ since: bigint | null }>(oldestOpen, valuesOf(key))
  return row?.since == null ? undefined : (Number(row.since) as UnixMs)
}

type LedgerRow = {
  received: bigint
  level: bigint
  released: Record<string, string>
  unit_kept_for: string | null
}

type ArrivalRow = { amount: bigint; received_after: bigint; tx_hash: string; log_index: bigint }

function valuesOf({ merchant, chain, split, token }: LedgerKey) {
  return [merchant, chain, split, token] as const
}

function writeHeld(held: Settlement['held']): Record<string, string> {
  return Object.fromEntries(held.map(({ address, units }) => [address, units.toString()]))
}

const find = {
  name: 'find-split-ledger',
  text: `SELECT received, level, released, unit_kept_for FROM split_ledger
    WHERE merchant = $1 AND chain = $2 AND split_address = $3 AND token_address = $4`,
}

const save = {
  name: 'save-split-ledger',
  text: `INSERT INTO split_ledger (merchant, chain, split_address, token_address, received, level, released,
      unit_kept_for)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (merchant, chain, split_address, token_address)
    DO UPDATE SET received = excluded.received, level = excluded.level, released = excluded.released,
      unit_kept_for = excluded.unit_kept_for`,
}

const unsettled = {
  name: 'list-unsettled-arrivals',
  text: `SELECT amount, received_after, tx_hash, log_index FROM split_arrival
    WHERE merchant = $1 AND chain = $2 AND split_address = $3 AND token_address = $4 AND orphaned_at IS NULL
      AND (distributed_at IS NULL OR held IS NOT NULL) AND (distributed_at IS NULL OR $5::bool)
    ORDER BY received_after`,
}

const insertNew = {
  name: 'insert-split-arrivals',
  text: `INSERT INTO split_arrival (merchant, chain, split_address, token_address, tx_hash, log_index, amount,
      received_after, kind, reference, receipt_id, block_number, block_hash, block_at)
    SELECT $1, $2, $3, $4, t.* FROM unnest($5::text[], $6::int8[], $7::numeric[], $8::numeric[], $9::text[],
      $10::text[], $11::text[], $12::int8[], $13::text[], $14::int8[]) AS t
    ON CONFLICT (merchant, chain, tx_hash, log_index) DO UPDATE SET
      received_after = excluded.received_after, block_number = excluded.block_number,
      block_hash = excluded.block_hash, block_at = excluded.block_at, amount = excluded.amount,
      kind = excluded.kind, reference = excluded.reference, receipt_id = excluded.receipt_id,
      split_address = excluded.split_address, token_address = excluded.token_address,
      distributed_tx = NULL, distributed_block = NULL, distributed_at = NULL, held = NULL, orphaned_at = NULL
    WHERE split_arrival.merchant = $1 AND split_arrival.orphaned_at IS NOT NULL`,
}

const renumber = {
  name: 'renumber-split-arrivals',
  text: `UPDATE split_arrival SET received_after = t.after
    FROM unnest($1::text[], $2::int8[], $3::text[], $4::int8[], $5::numeric[])
      AS t(merchant, chain, tx, log, after)
    WHERE split_arrival.merchant = t.merchant AND split_arrival.chain = t.chain AND tx_hash = t.tx
      AND log_index = t.log AND orphaned_at IS NULL
      AND received_after <> t.after`,
}

const settle = {
  name: 'settle-split-arrivals',
  text: `UPDATE split_arrival SET distributed_tx = coalesce(distributed_tx, t.tx),
      distributed_block = coalesce(distributed_block, t.block), distributed_at = coalesce(distributed_at, t.at),
      held = t.held::jsonb
    FROM unnest($1::text[], $2::int8[], $3::text[], $4::int8[], $5::text[], $6::int8[], $7::int8[], $8::text[])
      AS t(merchant, chain, arrival_tx, arrival_log, tx, block, at, held)
    WHERE split_arrival.merchant = t.merchant AND split_arrival.chain = t.chain
      AND tx_hash = t.arrival_tx AND log_index = t.arrival_log
    RETURNING receipt_id`,
}

const insertRelease = {
  name: 'insert-split-releases',
  text: `INSERT INTO split_release (merchant, chain, split_address, token_address, tx_hash, log_index, kind,
      account, amount, received_total, block_number, block_hash, block_at, is_unit_kept)
    SELECT $1, $2, $3, $4, t.* FROM unnest($5::text[], $6::int8[], $7::text[], $8::text[], $9::numeric[],
      $10::numeric[], $11::int8[], $12::text[], $13::int8[], $14::bool[]) AS t
    ON CONFLICT (merchant, chain, tx_hash, log_index) DO UPDATE SET
      split_address = excluded.split_address, token_address = excluded.token_address, kind = excluded.kind,
      account = excluded.account, amount = excluded.amount, received_total = excluded.received_total,
      block_number = excluded.block_number, block_hash = excluded.block_hash, block_at = excluded.block_at,
      is_unit_kept = excluded.is_unit_kept, orphaned_at = NULL
    WHERE split_release.merchant = $1 AND split_release.orphaned_at IS NOT NULL`,
}

const oldestOpen = {
  name: 'find-oldest-open-arrival',
  text: `SELECT min(block_at) AS since FROM split_arrival
    WHERE merchant = $1 AND chain = $2 AND split_address = $3 AND token_address = $4
      AND orphaned_at IS NULL AND distributed_at IS NULL`,
}
