import type { BlockHeader, ChainHead } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import type { FinalityTags } from './finality.ts'
import type { ScanNeeds } from './scan-needs.ts'
import { areKnownAlike } from './store.ts'

/**
 * The tags of a head, unless they name blocks other than those that were read.
 *
 * @param read.fresh - Blocks that were read and are not stored yet.
 * @param read.fork - Where what is remembered parts from the chain, if it does: above it is what the chain has lost.
 * @throws {ChainUnavailable}
 */
export async function readTrustedTags(
  { db, chain }: Pick<ScanNeeds, 'db' | 'chain'>,
  head: ChainHead,
  { fresh = [], fork }: TagsReading = {},
): Promise<FinalityTags> {
  const tagged = [head.safe, head.final]
  const isAlike = fresh.every((block) =>
    tagged.every((tag) => tag.number !== block.number || tag.hash === block.hash),
  )
  const remembered = tagged.filter(({ number }) => !fork || number <= fork.number)
  if (!isAlike || !(await areKnownAlike(db, chain.id, remembered)))
    throw new ChainUnavailable('The chain reports blocks as safe that it does not have')
  return { latest: head.latest.number, safe: head.safe.number, final: head.final.number }
}

type TagsReading = {
  readonly fresh?: readonly BlockHeader[]
  readonly fork?: { readonly number: bigint } | undefined
}
