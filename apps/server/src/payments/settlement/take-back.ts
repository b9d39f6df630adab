import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { type Cursor, dropBlocksAbove } from '../cursors/store.ts'
import { listKnownLogs, loseLogs } from '../ledger/known-log-store.ts'
import { isSameKey, type PaymentKey } from '../ledger/payment.ts'
import { listPlacesAbove, type PlacedPayment, takePlacesAbove } from '../ledger/place-store.ts'

/** Payments of a receipt whose blocks are gone, under the keys they have from now on. */
export type LostPayment = {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly keys: readonly PaymentKey[]
}

/**
 * Takes back all that stood in blocks above a fork: the blocks, the coin that moved in them, and the money,
 * which is marked and kept. What stands in other blocks now is found again when they are read.
 *
 * @param blocks - Those that are part of the chain above the fork, as far as they were read.
 */
export async function takeBackAbove(
  tx: Database,
  chain: number,
  fork: Cursor,
  blocks: readonly BlockHeader[],
): Promise<LostPayment[]> {
  await lockReceipts(tx, await listPlacesAbove(tx, chain, fork.number))
  await dropBlocksAbove(tx, chain, fork.number)
  const standing = blocks.map(({ hash }) => hash)
  const lost: LostPayment[] = []
  for (const [merchant, places] of byMerchant(await takePlacesAbove(tx, chain, fork.number))) {
    const keys = await loseLogs(tx, chain, merchant, places, standing)
    const receipts = new Map<ReceiptId, PaymentKey[]>()
    const own = new Map(places.map((place) => [placeText(place), place.receiptId]))
    for (const key of keys) {
      const receiptId = own.get(placeText(key))
      if (receiptId !== undefined) receipts.set(receiptId, [...(receipts.get(receiptId) ?? []), key])
    }
    for (const [receiptId, ofReceipt] of receipts) lost.push({ merchant, receiptId, keys: ofReceipt })
  }
  return lost
}

/** The deposit addresses to which money above a fork had come: it is looked for there, however old they are. */
export async function listLostSources(db: Database, chain: number, fork: Cursor): Promise<Wallet[]> {
  const sources = new Set<Wallet>()
  for (const [merchant, places] of byMerchant(await listPlacesAbove(db, chain, fork.number))) {
    const txHashes: Hex[] = [...new Set(places.map(({ txHash }) => txHash))]
    for (const log of await listKnownLogs(db, chain, merchant, txHashes, [])) {
      if (log.kind === 'call' || log.source === undefined) continue
      if (places.some((place) => isSameKey(place, log))) sources.add(log.source as Wallet)
    }
  }
  return [...sources]
}

/** Everybody who locks several receipts locks them in this order. */
async function lockReceipts(tx: Database, places: readonly PlacedPayment[]): Promise<void> {
  const refs = new Map(
    places.map(({ merchant, receiptId }) => [`${merchant} ${receiptId}`, { merchant, receiptId }]),
  )
  for (const [, { merchant, receiptId }] of [...refs].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (receiptId !== undefined) await lockReceipt(tx, merchant, receiptId)
}

/** The same before and after the loss, with which a log's address changes. */
function placeText({ txHash, logIndex, address }: PaymentKey): string {
  return `${txHash}/${logIndex < 0 ? address : logIndex}`
}

function byMerchant(places: readonly PlacedPayment[]): Map<Wallet, PlacedPayment[]> {
  const groups = new Map<Wallet, PlacedPayment[]>()
  for (const place of places) {
    const group = groups.get(place.merchant) ?? []
    group.push(place)
    groups.set(place.merchant, group)
  }
  return groups
}
