import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { mostInPart } from '../../platform/database/table.ts'
import { ItemFault } from '../../platform/jobs/item-fault.ts'
import { findBlockHashes, keptBelowFinal } from '../cursors/store.ts'
import type { KnownLog } from '../ledger/known-log.ts'
import { listKnownLogs, loseLogs } from '../ledger/known-log-store.ts'
import { type PaymentKey, textOfKey } from '../ledger/payment.ts'
import { blockOfReversal, type KeptReversal } from './kept-finding.ts'
import { dropKept, type KeptFor, listKeptPlaces, listKeptReversals } from './kept-finding-store.ts'
import type { SettleContext } from './settle-receipt.ts'

/**
 * Takes back what was kept for an item because its block went, and could not be taken back then, as far as it still stands
 * in one that is not part of the chain: all of it before any of the item's money is judged, in as many parts as it takes.
 *
 * Blocks are not remembered for ever. Of one that no longer is, what was kept decides: the block in which the same
 * transaction was found since, else that the block was gone when it was kept.
 *
 * @returns the blocks that the item's payments are known to have gone with.
 */
export async function loseKept(
  tx: Database,
  context: Pick<SettleContext, 'chain' | 'tags'>,
  item: KeptFor,
): Promise<Hex[]> {
  const lost = new Set<Hex>()
  for (;;) {
    const kept = await listKeptReversals(tx, context.chain, item, mostInPart)
    for (const hash of await loseSome(tx, context, item, kept)) lost.add(hash)
    if (kept.length < mostInPart) return [...lost]
    await dropKept(
      tx,
      context.chain,
      item,
      kept.map((content) => ({ kind: 'orphaned', content })),
    )
  }
}

async function loseSome(
  tx: Database,
  { chain, tags }: Pick<SettleContext, 'chain' | 'tags'>,
  item: KeptFor,
  kept: readonly KeptReversal[],
): Promise<Hex[]> {
  if (kept.length === 0) return []
  const { merchant } = item
  const reversals = new Map(kept.map((key) => [textOfKey(key), key]))
  const txHashes = [...new Set(kept.map(({ txHash }) => txHash))]
  const logs = await listKnownLogs(tx, chain, merchant, txHashes, [])
  const known = logs.filter((log) => reversals.has(textOfKey(log)))
  const standing = known.filter(({ isLost }) => !isLost)
  const heights = new Set(standing.map(({ block }) => block.number))
  const hashes = await findBlockHashes(tx, chain, [...heights])
  const foundIn = await listKeptPlaces(tx, chain, item, txHashes)
  const isGone = (log: KnownLog): boolean => {
    const { number, hash } = log.block
    const remembered = hashes.get(number)
    if (remembered !== undefined) return remembered !== hash
    const reversal = reversals.get(textOfKey(log))
    if (reversal?.blockNumber !== number) return false
    const places = foundIn.get(log.txHash)
    if (places) return places.every((blockHash) => blockHash !== hash)
    return wasGone(reversal, hash, number < tags.final - keptBelowFinal)
  }
  const gone: readonly PaymentKey[] = standing.filter(isGone)
  const lost = await loseLogs(tx, chain, merchant, gone, [])
  return [
    ...lost.map(({ blockHash }) => blockHash),
    ...kept.flatMap((reversal) => blockOfReversal(reversal) ?? []),
    // Those of earlier releases name payments that are marked already.
    ...known.flatMap(({ isLost, block }) => (isLost ? [block.hash] : [])),
  ]
}

/**
 * Whether the block that money stands in is the one that was gone. Where a reversal does not say which that was, the
 * answer waits until the block at its height has been read; where that has been forgotten, the reversal is believed.
 */
function wasGone({ goneHash, blockNumber }: KeptReversal, hash: Hex, isForgotten: boolean): boolean {
  if (goneHash !== undefined) return goneHash === hash
  if (isForgotten) return true
  throw new ItemFault('block-unknown', `whether block ${blockNumber} is part of the chain is not known`)
}
