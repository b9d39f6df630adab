import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { FinalityTags } from '../cursors/finality.ts'
import { keptBelowFinal } from '../cursors/store.ts'
import type { PaymentKey } from './payment.ts'

/** A receipt, over all merchants. */
export type ReceiptRef = { readonly merchant: Wallet; readonly receiptId: ReceiptId }

/** Which block a payment stands in; without a receipt it is one that no receipt explains. */
export type PlacedPayment = PaymentKey & {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId | undefined
  readonly blockNumber: bigint
}

/** The next finality of its block at which a payment's receipt is to be looked at. */
export type Wanted = 'safe' | 'final' | undefined

/**
 * Notes the blocks of payments, each of its own key, and from when on to look at their receipts again. Safe to
 * repeat. One statement: anybody can send a receipt thousands of tiny payments.
 */
export async function savePlaces(
  tx: Database,
  chain: number,
  places: readonly (PlacedPayment & { readonly wanted: Wanted })[],
): Promise<void> {
  if (places.length === 0) return
  await tx.run(save, [
    chain,
    places.map(({ txHash }) => txHash),
    places.map(({ logIndex }) => logIndex),
    places.map(({ address }) => address),
    places.map(({ merchant }) => merchant),
    places.map(({ receiptId }) => receiptId ?? null),
    places.map(({ blockNumber }) => blockNumber),
    places.map(({ wanted }) => wanted ?? null),
  ])
}

/** Receipts with a payment whose block has become as sure as is waited for; those set aside wait for their try. */
export async function listDueReceipts(
  db: Database,
  chain: number,
  tags: FinalityTags,
  limit: number,
): Promise<ReceiptRef[]> {
  const rows = await db.rows<{ merchant: string; receipt_id: string }>(listDue, [
    chain,
    tags.safe,
    tags.final,
    limit,
  ])
  return rows.map((row) => ({ merchant: row.merchant as Wallet, receiptId: row.receipt_id as ReceiptId }))
}

/** What stands in blocks above a height. */
export async function listPlacesAbove(db: Database, chain: number, height: bigint): Promise<PlacedPayment[]> {
  return (await db.rows<PlaceRow>(listAbove, [chain, height])).map(fromPlaceRow)
}

/** Forgets the places of keys. */
export async function dropPlaces(
  tx: Database,
  chain: number,
  merchant: Wallet,
  keys: readonly PaymentKey[],
): Promise<void> {
  if (keys.length === 0) return
  await tx.run(drop, [
    keys.map(() => chain),
    keys.map(() => merchant),
    keys.map(({ txHash }) => txHash),
    keys.map(({ logIndex }) => logIndex),
    keys.map(({ address }) => address),
  ])
}

/**
 * Whether a payment's block has become as sure as is waited for, or an attempt is still open although every block
 * up to its end was read: one statement for a round that most often finds neither.
 */
export async function hasWaitingReceipts(
  db: Database,
  chain: number,
  tags: FinalityTags,
  coveredTo: UnixMs,
  now: UnixMs,
): Promise<boolean> {
  const row = await db.row<{ found: boolean }>(hasWaiting, [chain, tags.safe, tags.final, coveredTo, now])
  return row?.found ?? false
}

/** Takes out, and gives back, what stands in blocks above a height. */
export async function takePlacesAbove(tx: Database, chain: number, height: bigint): Promise<PlacedPayment[]> {
  const rows = await tx.rows<PlaceRow>(takeAbove, [chain, height])
  return rows.map(fromPlaceRow)
}

/** Forgets places in blocks that are long final and that nobody waits for. */
export async function forgetPlaces(tx: Database, chain: number, final: bigint): Promise<void> {
  await tx.run(forget, [chain, final - keptBelowFinal])
}

/** Coin that reached a deposit address, or was swept from it (a negative amount). */
export type CoinMove = {
  readonly txHash: Hex
  readonly logIndex: number
  readonly depositAddress: Wallet
  readonly amount: bigint
  readonly blockNumber: bigint
}

/** Notes moves of coin. Safe to repeat. */
export async function saveCoinMoves(tx: Database, chain: number, moves: readonly CoinMove[]): Promise<void> {
  if (moves.length === 0) return
  await tx.run(saveCoin, [
    chain,
    moves.map((move) => move.txHash),
    moves.map((move) => move.logIndex),
    moves.map((move) => move.depositAddress),
    moves.map((move) => move.amount),
    moves.map((move) => move.blockNumber),
  ])
}

/** What the moves noted say of an address at a block. */
export type ExpectedCoin = {
  /** What it should hold once that block is done. */
  readonly total: bigint
  /** Coin was noted in later blocks too: noticed there, it may have come before. */
  readonly hasLater: boolean
}

/**
 * What each address should hold at a block by the moves noted up to it; an address without moves is left out.
 * Later blocks do not count: a sweep in one of them takes what the balance at this block still shows.
 */
export async function readExpectedCoin(
  db: Database,
  chain: number,
  addresses: readonly Wallet[],
  block: bigint,
): Promise<Map<Wallet, ExpectedCoin>> {
  const rows = await db.rows<ExpectedRow>(expectedCoin, [chain, addresses, block])
  return new Map(
    rows.map((row) => [row.deposit_address as Wallet, { total: row.total, hasLater: row.has_later }]),
  )
}

type ExpectedRow = { deposit_address: string; total: bigint; has_later: boolean }

type PlaceRow = {
  tx_hash: string
  log_index: bigint
  address: string
  merchant: string
  receipt_id: string | null
  block_number: bigint
}

function fromPlaceRow(row: PlaceRow): PlacedPayment {
  return {
    txHash: row.tx_hash as Hex,
    logIndex: Number(row.log_index),
    address: row.address as PaymentKey['address'],
    merchant: row.merchant as Wallet,
    receiptId: (row.receipt_id ?? undefined) as ReceiptId | undefined,
    blockNumber: row.block_number,
  }
}

const save = {
  name: 'save-payment-blocks',
  text: `INSERT INTO payment_block (chain, tx_hash, log_index, address, merchant, receipt_id, block_number, wanted)
    SELECT $1, * FROM unnest($2::text[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::int8[], $8::text[])
    ON CONFLICT (chain, tx_hash, log_index, address, merchant)
      DO UPDATE SET block_number = excluded.block_number, wanted = excluded.wanted, receipt_id = excluded.receipt_id
      WHERE (payment_block.block_number, payment_block.wanted, payment_block.receipt_id)
        IS DISTINCT FROM (excluded.block_number, excluded.wanted, excluded.receipt_id)`,
}

const listDue = {
  name: 'list-due-receipts',
  text: `SELECT DISTINCT merchant, receipt_id FROM payment_block AS place
    WHERE chain = $1 AND receipt_id IS NOT NULL
      AND ((wanted = 'safe' AND block_number <= $2) OR (wanted = 'final' AND block_number <= $3))
      AND NOT EXISTS (SELECT FROM set_aside WHERE job = '${jobNames.scanTransfers}'
        AND set_aside.merchant = place.merchant AND item = 'receipt ' || place.receipt_id)
    LIMIT $4`,
}

const hasWaiting = {
  name: 'has-waiting-receipts',
  text: `SELECT EXISTS (SELECT FROM payment_block AS place WHERE chain = $1 AND receipt_id IS NOT NULL
        AND ((wanted = 'safe' AND block_number <= $2) OR (wanted = 'final' AND block_number <= $3))
        AND NOT EXISTS (SELECT FROM set_aside WHERE job = '${jobNames.scanTransfers}'
          AND set_aside.merchant = place.merchant AND item = 'receipt ' || place.receipt_id))
      OR EXISTS (SELECT FROM attempt_target AS target WHERE chain = $1 AND is_open AND expires_at < $4
        AND NOT EXISTS (SELECT FROM set_aside WHERE job = '${jobNames.scanTransfers}'
          AND set_aside.merchant = target.merchant AND item = 'receipt ' || target.receipt_id))
      OR EXISTS (SELECT FROM set_aside WHERE job = '${jobNames.scanTransfers}' AND next_try <= $5) AS found`,
}

const takeAbove = {
  name: 'take-payment-blocks-above',
  text: `DELETE FROM payment_block WHERE chain = $1 AND block_number > $2
    RETURNING tx_hash, log_index, address, merchant, receipt_id, block_number`,
}

const listAbove = {
  name: 'list-payment-blocks-above',
  text: `SELECT tx_hash, log_index, address, merchant, receipt_id, block_number FROM payment_block
    WHERE chain = $1 AND block_number > $2`,
}

const drop = {
  name: 'drop-payment-blocks',
  text: `DELETE FROM payment_block AS place
    USING unnest($1::int8[], $2::text[], $3::text[], $4::int8[], $5::text[])
      AS gone (chain, merchant, tx_hash, log_index, address)
    WHERE place.chain = gone.chain AND place.merchant = gone.merchant AND place.tx_hash = gone.tx_hash
      AND place.log_index = gone.log_index AND place.address = gone.address`,
}

const forget = {
  name: 'forget-payment-blocks',
  text: `DELETE FROM payment_block WHERE chain = $1 AND block_number < $2 AND wanted IS NULL`,
}

const saveCoin = {
  name: 'save-deposit-coin',
  text: `INSERT INTO deposit_coin (chain, tx_hash, log_index, deposit_address, amount, block_number)
    SELECT $1, * FROM unnest($2::text[], $3::int8[], $4::text[], $5::numeric[], $6::int8[])
    ON CONFLICT DO NOTHING`,
}

const expectedCoin = {
  name: 'read-expected-coin',
  text: `SELECT deposit_address, coalesce(sum(amount) FILTER (WHERE block_number <= $3), 0) AS total,
      coalesce(bool_or(amount > 0 AND block_number > $3), false) AS has_later
    FROM deposit_coin WHERE chain = $1 AND deposit_address = ANY($2) GROUP BY deposit_address`,
}
