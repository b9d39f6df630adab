import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { bool, count, int8, optional, type Parts, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Finality } from '../cursors/finality.ts'
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

/** The finality to wait for after a look at a payment. */
export function wantedNext(finality: Finality): Wanted {
  return finality === 'seen' ? 'safe' : finality === 'safe' ? 'final' : undefined
}

/**
 * Notes the blocks of payments, each of its own key, and from when on to look at their receipts again. Safe to
 * repeat: what is noted already is left alone.
 */
export async function savePlaces(
  tx: Database,
  chain: number,
  places: readonly (PlacedPayment & { readonly wanted: Wanted })[],
): Promise<void> {
  if (places.length > 0) await tx.run(save({ chain, each: places }))
}

/** What stands in blocks above a height. */
export async function listPlacesAbove(db: Database, chain: number, height: bigint): Promise<PlacedPayment[]> {
  return db.rows(listAbove({ chain, height }))
}

/** Forgets the places of keys. */
export async function dropPlaces(
  tx: Database,
  chain: number,
  merchant: Wallet,
  keys: readonly PaymentKey[],
): Promise<void> {
  if (keys.length === 0) return
  await tx.run(drop({ chains: keys.map(() => chain), merchants: keys.map(() => merchant), each: keys }))
}

/** Forgets places in blocks that are long final and that nobody waits for. */
export async function prunePlaces(tx: Database, chain: number, final: bigint): Promise<void> {
  await tx.run(forget({ chain, blockNumber: final - keptBelowFinal }))
}

/** Coin that reached a deposit address, or was swept from it (a negative amount). */
export type NativeMove = {
  readonly txHash: Hex
  readonly logIndex: number
  readonly depositAddress: Wallet
  readonly amount: bigint
  readonly blockNumber: bigint
}

/** Notes moves of coin. Safe to repeat. */
export async function saveNativeMoves(
  tx: Database,
  chain: number,
  moves: readonly NativeMove[],
): Promise<void> {
  if (moves.length === 0) return
  await tx.run(saveNativeMove({ chain, each: moves }))
}

/** What the moves noted say of an address at a block. */
export type ExpectedNative = {
  /** What it should hold once that block is done. */
  readonly total: bigint
  /** Coin was noted in later blocks too: noticed there, it may have come before. */
  readonly hasLater: boolean
}

/**
 * What each address should hold at a block by the moves noted up to it; an address without moves is left out.
 * Later blocks do not count: a sweep in one of them takes what the balance at this block still shows.
 */
export async function readExpectedNative(
  db: Database,
  chain: number,
  addresses: readonly Wallet[],
  block: bigint,
): Promise<Map<Wallet, ExpectedNative>> {
  const rows = await db.rows(expectedNative({ chain, addresses, block }))
  return new Map(
    rows.map((row) => [row.depositAddress as Wallet, { total: row.total, hasLater: row.hasLater }]),
  )
}

const storedPlacedPayment: Parts<PlacedPayment> = {
  txHash: text(),
  logIndex: count(),
  address: text(),
  merchant: text(),
  receiptId: optional(text()),
  blockNumber: int8(),
}

const save = statement({
  name: 'save-payment-blocks',
  text: `INSERT INTO payment_block (chain, tx_hash, log_index, address, merchant, receipt_id, block_number, wanted)
    SELECT :chain, * FROM unnest(:each.txHash::text[], :each.logIndex::int8[], :each.address::text[],
      :each.merchant::text[], :each.receiptId::text[], :each.blockNumber::int8[], :each.wanted::text[])
      AS fresh (tx_hash, log_index, address, merchant, receipt_id, block_number, wanted)
    -- A row that conflicts is locked, and so written, even where nothing of it changes.
    WHERE NOT EXISTS (SELECT FROM payment_block AS noted WHERE noted.chain = :chain
      AND noted.tx_hash = fresh.tx_hash AND noted.log_index = fresh.log_index AND noted.address = fresh.address
      AND noted.merchant = fresh.merchant
      -- Not by an equal sign: an index of blocks would be gone through for each of a block's payments.
      AND (noted.block_number, noted.wanted, noted.receipt_id)
        IS NOT DISTINCT FROM (fresh.block_number, fresh.wanted, fresh.receipt_id))
    ON CONFLICT (chain, tx_hash, log_index, address, merchant)
      DO UPDATE SET block_number = excluded.block_number, wanted = excluded.wanted, receipt_id = excluded.receipt_id
      WHERE (payment_block.block_number, payment_block.wanted, payment_block.receipt_id)
        IS DISTINCT FROM (excluded.block_number, excluded.wanted, excluded.receipt_id)`,
})

const listAbove = statement({
  name: 'list-payment-blocks-above',
  reads: storedPlacedPayment,
  text: `SELECT tx_hash, log_index, address, merchant, receipt_id, block_number FROM payment_block
    WHERE chain = :chain AND block_number > :height`,
})

const drop = statement({
  name: 'drop-payment-blocks',
  text: `DELETE FROM payment_block AS place
    USING unnest(:chains::int8[], :merchants::text[], :each.txHash::text[], :each.logIndex::int8[],
      :each.address::text[])
      AS gone (chain, merchant, tx_hash, log_index, address)
    WHERE place.chain = gone.chain AND place.merchant = gone.merchant AND place.tx_hash = gone.tx_hash
      AND place.log_index = gone.log_index AND place.address = gone.address`,
})

const forget = statement({
  name: 'forget-payment-blocks',
  text: `DELETE FROM payment_block WHERE chain = :chain AND block_number < :blockNumber AND wanted IS NULL`,
})

const saveNativeMove = statement({
  name: 'save-deposit-coin',
  text: `INSERT INTO deposit_coin (chain, tx_hash, log_index, deposit_address, amount, block_number)
    SELECT :chain, * FROM unnest(:each.txHash::text[], :each.logIndex::int8[], :each.depositAddress::text[],
      :each.amount::numeric[], :each.blockNumber::int8[])
    ON CONFLICT DO NOTHING`,
})

const expectedNative = statement({
  name: 'read-expected-coin',
  reads: { depositAddress: text(), total: int8(), hasLater: bool() },
  text: `SELECT deposit_address, coalesce(sum(amount) FILTER (WHERE block_number <= :block), 0) AS total,
      coalesce(bool_or(amount > 0 AND block_number > :block), false) AS has_later
    FROM deposit_coin WHERE chain = :chain AND deposit_address = ANY(:addresses) GROUP BY deposit_address`,
})
