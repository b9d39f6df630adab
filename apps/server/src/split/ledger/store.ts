import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import {
  count,
  emptyAsNull,
  json,
  named,
  numeric,
  optional,
  text,
  time,
} from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { assignAllBut, columnsOf, placesOf, table } from '../../platform/database/table.ts'
import type { Arrival, SplitEvent } from '../split-event.ts'
import { emptyLedger, type Ledger } from './ledger.ts'
import type { NewArrival } from './merge-events.ts'
import type { Settlement } from './watch-arrivals.ts'

export type LedgerKey = {
  readonly merchant: Wallet
  readonly chain: number
  readonly split: Wallet
  readonly token: Wallet
}

export async function findLedger(db: Database, key: LedgerKey): Promise<Ledger> {
  return (await db.row(find(key))) ?? emptyLedger
}

export async function saveLedger(tx: Database, key: LedgerKey, ledger: Ledger): Promise<void> {
  await tx.run(save({ ...key, ...ledger }))
}

export async function listUnsettled(db: Database, key: LedgerKey, withHeld: boolean): Promise<Arrival[]> {
  return db.rows(unsettled({ ...key, withHeld }))
}

/** Inserts arrivals. An orphaned row for the same log is reused. */
export async function insertArrivals(
  tx: Database,
  key: LedgerKey,
  arrivals: readonly (NewArrival & { readonly receiptId: string | undefined })[],
): Promise<void> {
  if (arrivals.length === 0) return
  await tx.run(insertNew({ ...key, each: arrivals }))
}

export async function saveReceivedAfter(
  tx: Database,
  key: LedgerKey,
  arrivals: readonly Arrival[],
): Promise<void> {
  if (arrivals.length === 0) return
  const each = arrivals.map((arrival) => ({ ...arrival, ...key }))
  await tx.run(renumber({ merchants: [key.merchant], each }))
}

/**
 * Records settlements, and returns their receipts. An existing settlement is kept, except that `held` is
 * updated.
 */
export async function saveSettlements(
  tx: Database,
  key: LedgerKey,
  settlements: readonly Settlement[],
): Promise<string[]> {
  if (settlements.length === 0) return []
  const each = settlements.map((settlement) => ({ ...settlement, ...key }))
  const rows = await tx.rows(settle({ merchants: [key.merchant], each }))
  return [...new Set(rows.flatMap(({ receiptId }) => receiptId ?? []))]
}

export async function insertReleases(
  tx: Database,
  key: LedgerKey,
  events: readonly Exclude<SplitEvent, { kind: 'arrived' }>[],
): Promise<void> {
  if (events.length === 0) return
  const each = events.map((event) => {
    if (event.kind !== 'distributed') return { ...event, total: undefined, isUnitKept: false }
    return { ...event, account: undefined, amount: undefined, isUnitKept: event.isUnitKept === true }
  })
  await tx.run(insertRelease({ ...key, each }))
}

export async function findOldestOpen(db: Database, key: LedgerKey): Promise<UnixMs | undefined> {
  return (await db.row(oldestOpen(key)))?.since
}

const ledgerTable = table<Ledger>('split_ledger', {
  received: numeric(),
  level: numeric(),
  released: json({
    read: (stored: Record<string, string>) =>
      new Map(Object.entries(stored).map(([account, units]) => [account as Wallet, BigInt(units)])),
    write: (released) =>
      Object.fromEntries([...released].map(([account, units]) => [account, units.toString()])),
  }),
  unitKeptFor: optional(text()),
})

const arrivalTable = table<Arrival>('split_arrival', {
  amount: numeric(),
  receivedAfter: numeric(),
  transactionHash: named('tx_hash', text()),
  logIndex: count(),
})

const settlementTable = table('split_arrival', {
  held: emptyAsNull(
    json<Settlement['held'], Record<string, string>>({
      read: (stored) =>
        Object.entries(stored).map(([address, units]) => ({
          address: address as Wallet,
          units: BigInt(units),
        })),
      write: (held) => Object.fromEntries(held.map(({ address, units }) => [address, units.toString()])),
    }),
  ),
})

const find = statement({
  name: 'find-split-ledger',
  reads: ledgerTable,
  text: `SELECT ${columnsOf(ledgerTable)} FROM split_ledger
    WHERE merchant = :merchant AND chain = :chain AND split_address = :split AND token_address = :token`,
})

const save = statement({
  name: 'save-split-ledger',
  writes: ledgerTable,
  text: `INSERT INTO split_ledger (merchant, chain, split_address, token_address, ${columnsOf(ledgerTable)})
    VALUES (:merchant, :chain, :split, :token, ${placesOf(ledgerTable)})
    ON CONFLICT (merchant, chain, split_address, token_address)
    DO UPDATE SET ${assignAllBut(ledgerTable, [])}`,
})

const unsettled = statement({
  name: 'list-unsettled-arrivals',
  reads: arrivalTable,
  text: `SELECT ${columnsOf(arrivalTable)} FROM split_arrival
    WHERE merchant = :merchant AND chain = :chain AND split_address = :split AND token_address = :token
      AND orphaned_at IS NULL
      AND (distributed_at IS NULL OR held IS NOT NULL) AND (distributed_at IS NULL OR :withHeld::bool)
    ORDER BY received_after`,
})

const insertNew = statement({
  name: 'insert-split-arrivals',
  text: `INSERT INTO split_arrival (merchant, chain, split_address, token_address, tx_hash, log_index, amount,
      received_after, kind, reference, receipt_id, block_number, block_hash, block_at)
    SELECT :merchant, :chain, :split, :token, t.* FROM unnest(:each.transactionHash::text[], :each.logIndex::int8[],
      :each.amount::numeric[], :each.receivedAfter::numeric[], :each.how::text[],
      :each.reference::text[], :each.receiptId::text[], :each.place.blockNumber::int8[],
        :each.place.blockHash::text[], :each.place.at::int8[]) AS t
    ON CONFLICT (merchant, chain, tx_hash, log_index) DO UPDATE SET
      received_after = excluded.received_after, block_number = excluded.block_number,
      block_hash = excluded.block_hash, block_at = excluded.block_at, amount = excluded.amount,
      kind = excluded.kind, reference = excluded.reference, receipt_id = excluded.receipt_id,
      split_address = excluded.split_address, token_address = excluded.token_address,
      distributed_tx = NULL, distributed_block = NULL, distributed_at = NULL, held = NULL, orphaned_at = NULL
    WHERE split_arrival.merchant = excluded.merchant AND split_arrival.orphaned_at IS NOT NULL`,
})

// Here and below, `merchants` contains the merchant once, because PostgreSQL scans the array for each row.
const renumber = statement({
  name: 'renumber-split-arrivals',
  text: `UPDATE split_arrival SET received_after = t.after
    FROM unnest(:each.merchant::text[], :each.chain::int8[], :each.transactionHash::text[], :each.logIndex::int8[],
      :each.receivedAfter::numeric[])
      AS t(merchant, chain, tx, log, after)
    WHERE split_arrival.merchant = ANY(:merchants::text[]) AND split_arrival.merchant = t.merchant
      AND split_arrival.chain = t.chain AND tx_hash = t.tx
      AND log_index = t.log AND orphaned_at IS NULL
      AND received_after <> t.after`,
})

const settle = statement({
  name: 'settle-split-arrivals',
  writes: settlementTable,
  reads: { receiptId: optional(text()) },
  text: `UPDATE split_arrival SET distributed_tx = coalesce(distributed_tx, t.tx),
      distributed_block = coalesce(distributed_block, t.block), distributed_at = coalesce(distributed_at, t.at),
      held = t.held
    FROM unnest(:each.merchant::text[], :each.chain::int8[], :each.arrival.transactionHash::text[],
      :each.arrival.logIndex::int8[], :each.by.transactionHash::text[], :each.by.blockNumber::int8[],
        :each.by.at::int8[], :each.held::jsonb[])
      AS t(merchant, chain, arrival_tx, arrival_log, tx, block, at, held)
    WHERE split_arrival.merchant = ANY(:merchants::text[]) AND split_arrival.merchant = t.merchant
      AND split_arrival.chain = t.chain
      AND tx_hash = t.arrival_tx AND log_index = t.arrival_log
    RETURNING receipt_id`,
})

const insertRelease = statement({
  name: 'insert-split-releases',
  text: `INSERT INTO split_release (merchant, chain, split_address, token_address, tx_hash, log_index, kind,
      account, amount, received_total, block_number, block_hash, block_at, is_unit_kept)
    SELECT :merchant, :chain, :split, :token, t.* FROM unnest(:each.place.transactionHash::text[],
      :each.place.logIndex::int8[], :each.kind::text[], :each.account::text[], :each.amount::numeric[],
      :each.total::numeric[], :each.place.blockNumber::int8[], :each.place.blockHash::text[], :each.place.at::int8[],
        :each.isUnitKept::bool[]) AS t
    ON CONFLICT (merchant, chain, tx_hash, log_index) DO UPDATE SET
      split_address = excluded.split_address, token_address = excluded.token_address, kind = excluded.kind,
      account = excluded.account, amount = excluded.amount, received_total = excluded.received_total,
      block_number = excluded.block_number, block_hash = excluded.block_hash, block_at = excluded.block_at,
      is_unit_kept = excluded.is_unit_kept, orphaned_at = NULL
    WHERE split_release.merchant = excluded.merchant AND split_release.orphaned_at IS NOT NULL`,
})

const oldestOpen = statement({
  name: 'find-oldest-open-arrival',
  reads: { since: optional(time()) },
  text: `SELECT min(block_at) AS since FROM split_arrival
    WHERE merchant = :merchant AND chain = :chain AND split_address = :split AND token_address = :token
      AND orphaned_at IS NULL AND distributed_at IS NULL`,
})
