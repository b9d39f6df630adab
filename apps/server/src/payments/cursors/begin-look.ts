import type { BlockHeader, ChainHead } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { cursorNames } from '../../platform/jobs/names.ts'
import type { FinalityTags } from './finality.ts'
import type { ScanNeeds } from './scan-needs.ts'
import { areKnownAlike, type Cursor, findCursor, startCursor } from './store.ts'

/** A look at attempts that are closed: from the last one to the block that is final now. */
export type Look = {
  readonly from: Cursor
  readonly final: Cursor
  /** Where the watcher of every block stands: it has read everything up to this block, which still stands. */
  readonly readAt: Cursor
  readonly tags: FinalityTags
}

/**
 * What a look of this name begins or goes on with, or `undefined` while it is not time for one: before the chain's
 * time is in the next span of `everyMs`, and before the watcher of every block has come past the final block.
 *
 * A look of several steps is over once it has come into the span of the final block ({@link isInSpanOf}). That is
 * told by its cursor alone, so that whoever takes the next step goes on, after a restart or in another process.
 *
 * @throws {ChainUnavailable}
 */
export async function beginLook(needs: ScanNeeds, name: string, everyMs: number): Promise<Look | undefined> {
  const { db, chain, clock } = needs
  const readAt = await findCursor(db, chain.id, cursorNames.transfers)
  const from = await findCursor(db, chain.id, name)
  // The final block is no younger than the last one read: before that is due, the chain need not be asked.
  if (!readAt || (from && isInSpanOf(readAt, from, everyMs))) return undefined
  const head = await chain.readHead()
  const { number, hash, at } = head.final
  const final = { number, hash, at }
  if (!from) {
    await startCursor(db, chain.id, name, final, clock.now())
    return undefined
  }
  if (final.number <= from.number || isInSpanOf(final, from, everyMs) || final.number > readAt.number)
    return undefined
  // A block that was replaced: the watcher goes back first.
  if ((await chain.findHeader(readAt.number))?.hash !== readAt.hash) return undefined
  return { from, final, readAt, tags: await readTrustedTags(needs, head) }
}

type Instant = Pick<Cursor, 'at'>

/** Whether one block is in the same span of the chain's time as another, or before it: the same hour, or day. */
export function isInSpanOf(one: Instant, other: Instant, everyMs: number): boolean {
  return Math.floor(one.at / everyMs) <= Math.floor(other.at / everyMs)
}

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
