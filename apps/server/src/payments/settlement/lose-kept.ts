import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { ItemFault } from '../../platform/jobs/item-fault.ts'
import { findBlockHashes, keptBelowFinal } from '../cursors/store.ts'
import type { FoundLog, KnownLog } from '../ledger/known-log.ts'
import { listKnownLogs, loseLogs } from '../ledger/known-log-store.ts'
import { type PaymentKey, textOfKey } from '../ledger/payment.ts'
import type { KeptReversal } from './kept-finding.ts'
import type { SettleContext } from './settle-receipt.ts'

/** What is kept for an item: money whose block went, and money that was found. */
export type KeptMoney = {
  readonly lost: readonly KeptReversal[]
  readonly found: readonly Pick<FoundLog, 'txHash' | 'block'>[]
}

/**
 * Takes back what could not be when its block went, as far as it still stands in one that is not part of the chain.
 *
 * Blocks are not remembered for ever. Of one that no longer is, what was kept decides: the block in which the same
 * transaction was found since, else that the block was gone when it was kept.
 *
 * @returns the payments among it, under the keys they have from now on.
 */
export async function loseKept(
  tx: Database,
  { chain, tags }: Pick<SettleContext, 'chain' | 'tags'>,
  merchant: Wallet,
  { lost, found }: KeptMoney,
): Promise<PaymentKey[]> {
  if (lost.length === 0) return []
  const reversals = new Map(lost.map((key) => [textOfKey(key), key]))
  const txHashes = [...new Set(lost.map(({ txHash }) => txHash))]
  const known = await listKnownLogs(tx, chain, merchant, txHashes, [])
  const standing = known.filter((log) => !log.isLost && reversals.has(textOfKey(log)))
  const heights = new Set(standing.map(({ block }) => block.number))
  const hashes = await findBlockHashes(tx, chain, [...heights])
  const foundIn = Map.groupBy(found, ({ txHash }) => txHash)
  const isGone = (log: KnownLog): boolean => {
    const { number, hash } = log.block
    const remembered = hashes.get(number)
    if (remembered !== undefined) return remembered !== hash
    const reversal = reversals.get(textOfKey(log))
    if (reversal?.blockNumber !== number) return false
    const places = foundIn.get(log.txHash)
    if (places) return places.every(({ block }) => block.hash !== hash)
    return wasGone(reversal, hash, number < tags.final - keptBelowFinal)
  }
  return loseLogs(tx, chain, merchant, standing.filter(isGone), [])
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
