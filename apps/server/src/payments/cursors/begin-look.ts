import type { BlockHeader, ChainHead } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { cursorNames } from '../../platform/jobs/names.ts'
import type { FinalityTags } from './finality.ts'
import type { ScanNeeds } from './scan-needs.ts'
import { areKnownAlike, type Cursor, findCursor, startCursor } from './store.ts'

export type Look = {
  readonly from: Cursor
  readonly final: Cursor
  /** Cursor of the main watcher. Its block is still part of the chain. */
  readonly readAt: Cursor
  readonly tags: FinalityTags
}

/**
 * Returns the range of the next scan, or `undefined` if none is due.
 *
 * A scan is due when the final block enters the next `everyMs` span and the main watcher has passed it. Only
 * the cursor stores the progress, so that any process can continue a scan.
 *
 * @throws {ChainUnavailable}
 */
export async function beginLook(needs: ScanNeeds, name: string, everyMs: number): Promise<Look | undefined> {
  const { db, chain, clock } = needs
  const readAt = await findCursor(db, chain.id, cursorNames.transfers)
  const from = await findCursor(db, chain.id, name)
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
  if ((await chain.findHeader(readAt.number))?.hash !== readAt.hash) return undefined
  return { from, final, readAt, tags: await readTrustedTags(needs, head) }
}

type Instant = Pick<Cursor, 'at'>

export function isInSpanOf(one: Instant, other: Instant, everyMs: number): boolean {
  return Math.floor(one.at / everyMs) <= Math.floor(other.at / everyMs)
}

/**
 * Returns the finality tags of a head. Rejects tags that refer to blocks other than the scanned ones.
 *
 * @param read.fresh - Scanned blocks that are not stored yet.
 * @param read.fork - Last common block; stored blocks above it are ignored.
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
