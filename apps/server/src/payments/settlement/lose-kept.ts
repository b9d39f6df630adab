import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { ItemFault } from '../../platform/jobs/item-fault.ts'
import { findBlockHashes, keptBelowFinal } from '../cursors/store.ts'
import type { KnownLog } from '../ledger/known-log.ts'
import { listKnownLogs, loseLogs } from '../ledger/known-log-store.ts'
import { textOfKey } from '../ledger/payment.ts'
import { blockOfReversal, type KeptMoney, type KeptReversal } from './kept-finding.ts'
import type { SettleContext } from './settle-receipt.ts'

/**
 * Takes back what was kept for an item because its block went, and could not be taken back then, as far as it still stands
 * in one that is not part of the chain.
 *
 * Blocks are not remembered for ever. Of one that no longer is, what was kept decides: the block in which the same
 * transaction was found since, else that the block was gone when it was kept.
 *
 * @returns the blocks that the item's payments are known to have gone with.
 */
export async function loseKept(
  tx: Database,
  { chain, tags }: Pick<SettleContext, 'chain' | 'tags'>,
  merchant: Wallet,
  kept: { readonly reversals: readonly KeptReversal[]; readonly money: readonly KeptMoney[] },
): Promise<Hex[]> {
  if (kept.reversals.length === 0) return []
  const reversals = new Map(kept.reversals.map((key) => [textOfKey(key), key]))
  const txHashes = [...new Set(kept.reversals.map(({ txHash }) => txHash))]
  const logs = await listKnownLogs(tx, chain, merchant, txHashes, [])
  const known = logs.filter((log) => reversals.has(textOfKey(log)))
  const standing = known.filter(({ isLost }) => !isLost)
  const heights = new Set(standing.map(({ block }) => block.number))
  const hashes = await findBlockHashes(tx, chain, [...heights])
  const isGone = (log: KnownLog): boolean => {
    const { number, hash } = log.block
    const remembered = hashes.get(number)
    if (remembered !== undefined) return remembered !== hash
    const reversal = reversals.get(textOfKey(log))
    if (reversal?.blockNumber !== number) return false
    const found = kept.money.filter(({ content }) => content.txHash === log.txHash)
    if (found.length > 0) return found.every(({ content }) => content.block.hash !== hash)
    return wasGone(reversal, hash, number < tags.final - keptBelowFinal)
  }
  const lost = await loseLogs(tx, chain, merchant, standing.filter(isGone), [])
  return [
    ...new Set([
      ...lost.map(({ blockHash }) => blockHash),
      ...kept.reversals.flatMap((reversal) => blockOfReversal(reversal) ?? []),
      // Those of earlier releases name payments that are marked already.
      ...known.flatMap(({ isLost, block }) => (isLost ? [block.hash] : [])),
    ]),
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
