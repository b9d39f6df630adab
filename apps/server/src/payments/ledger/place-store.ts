import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { bool, count, int8, optional, type Parts, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Finality } from '../cursors/finality.ts'
import { keptBelowFinal } from '../cursors/store.ts'
import type { PaymentKey } from './payment.ts'

export type ReceiptRef = { readonly merchant: Wallet; readonly receiptId: ReceiptId }

export type PlacedPayment = PaymentKey & {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId | undefined
  readonly blockNumber: bigint
}

/** Finality of the block at which the receipt must next be checked. */
export type Wanted = 'safe' | 'final' | undefined

export function wantedNext(finality: Finality): Wanted {
  return finality === 'seen' ? 'safe' : finality === 'safe' ? 'final' : undefined
}

/** Records the blocks of payments and the next check. Safe to repeat: existing rows stay unchanged. */
export async function savePlaces(
  tx: Database,
  chain: number,
  places: readonly (PlacedPayment & { readonly wanted: Wanted })[],
): Promise<void> {
  if (places.length > 0) await tx.run(save({ chain, each: places }))
}

export async function listPlacesAbove(db: Database, chain: number, height: bigint): Promise<PlacedPayment[]> {
  return db.rows(listAbove({ chain, height }))
}

export async function dropPlaces(
  tx: Database,
  chain: number,
  merchant: Wallet,
  keys: readonly PaymentKey[],
): Promise<void> {
  if (keys.length === 0) return
  await tx.run(drop({ chains: keys.map(() => chain), merchants: keys.map(() => merchant), each: keys }))
}

export async function prunePlaces(tx: Database, chain: number, final: bigint): Promise<void> {
  await tx.run(forget({ chain, blockNumber: final - keptBelowFinal }))
}

/** Native coin that reached a deposit address, or left it in a sweep (negative amount). */
export type NativeMove = {
  readonly txHash: Hex
  readonly logIndex: number
  readonly depositAddress: Wallet
  readonly amount: bigint
  readonly blockNumber: bigint
}

export async function saveNativeMoves(
  tx: Database,
  chain: number,
  moves: readonly NativeMove[],
): Promise<void> {
  if (moves.length === 0) return
  await tx.run(saveNativeMove({ chain, each: moves }))
}

export type ExpectedNative = {
  readonly total: bigint
  /** Moves were also recorded in later blocks. The unexplained coin may have arrived before those moves. */
  readonly hasLater: boolean
}

/**
 * Returns the balances at a block that the moves up to that block explain. Ignores later sweeps, because the
 * balance at that block still includes the swept coin.
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
