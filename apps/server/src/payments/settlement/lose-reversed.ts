import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { ItemError } from '../../platform/jobs/item-error.ts'
import { findBlockHashes, keptBelowFinal } from '../cursors/store.ts'
import type { KnownLog } from '../ledger/known-log.ts'
import { listKnownLogs, loseLogs } from '../ledger/known-log-store.ts'
import { type PaymentKey, textOfKey } from '../ledger/payment.ts'
import type { PlacedPayment } from '../ledger/place-store.ts'
import type { Reversal, StoredFinding } from './finding-store.ts'
import type { SettleContext } from './settle-context.ts'

type Found = Exclude<StoredFinding, { readonly kind: 'orphaned' }>['content']

export type LostPayment = { readonly receiptId: ReceiptId; readonly blockHash: Hex }

/**
 * Marks payments in removed blocks as orphaned. If the block is on the chain again, the payment stays.
 *
 * Old blocks are pruned. For a pruned block, a later finding of the same transaction decides, otherwise the
 * stored hash of the removed block.
 */
export async function loseReversed(
  tx: Database,
  { chain, tags }: Pick<SettleContext, 'chain' | 'tags'>,
  merchant: Wallet,
  { reversals, found }: { readonly reversals: readonly Reversal[]; readonly found: readonly Found[] },
): Promise<LostPayment[]> {
  if (reversals.length === 0) return []
  const byKey = new Map(reversals.map((key) => [textOfKey(key), key]))
  const txHashes = [...new Set(reversals.map(({ txHash }) => txHash))]
  const logs = await listKnownLogs(tx, chain, merchant, txHashes, [])
  const known = logs.filter((log) => byKey.has(textOfKey(log)))
  const standing = known.filter(({ isLost }) => !isLost)
  const heights = new Set(standing.map(({ block }) => block.number))
  const hashes = await findBlockHashes(tx, chain, [...heights])
  const isGone = (log: KnownLog): boolean => {
    const { number, hash } = log.block
    const remembered = hashes.get(number)
    if (remembered !== undefined) return remembered !== hash
    const reversal = byKey.get(textOfKey(log))
    if (reversal?.blockNumber !== number) return false
    const again = found.filter(({ txHash }) => txHash === log.txHash)
    if (again.length > 0) return again.every(({ block }) => block.hash !== hash)
    return wasGone(reversal, hash, number < tags.final - keptBelowFinal)
  }
  const lost = await loseLogs(tx, chain, merchant, standing.filter(isGone))
  const before = known.flatMap(({ isLost, receiptId, block }) =>
    isLost && receiptId !== undefined ? [{ receiptId, blockHash: block.hash }] : [],
  )
  return [...lost, ...before]
}

/**
 * Evaluates whether a payment's block is the removed one.
 *
 * Without a stored hash, waits until the block is read. If that block is pruned, trusts the reversal.
 */
function wasGone({ goneHash, blockNumber }: Reversal, hash: Hex, isForgotten: boolean): boolean {
  if (goneHash !== undefined) return goneHash === hash
  if (isForgotten) return true
  throw new ItemError('block-unknown', `it is unknown whether block ${blockNumber} is part of the chain`)
}

/** Returns the deposit addresses of payments: after a reorg, they are scanned regardless of their age. */
export async function listLostSources(
  db: Database,
  chain: number,
  places: readonly PlacedPayment[],
): Promise<Wallet[]> {
  const sources = new Set<Wallet>()
  for (const [merchant, own] of Map.groupBy(places, (place) => place.merchant)) {
    const txHashes = [...new Set(own.map(({ txHash }: PaymentKey) => txHash))]
    const placed = new Set(own.map(textOfKey))
    for (const log of await listKnownLogs(db, chain, merchant, txHashes, [])) {
      if (log.kind === 'call' || log.source === undefined) continue
      if (placed.has(textOfKey(log))) sources.add(log.source as Wallet)
    }
  }
  return [...sources]
}
