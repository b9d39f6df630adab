import type { BlockHeader, ChainHead } from '../../chain/chain.ts'
import type { FinalityTags } from '../cursors/finality.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import type { Cursor } from '../cursors/store.ts'
import { readTrustedTags } from '../cursors/trusted-tags.ts'
import type { Pace } from './pace.ts'

/** Up to where blocks were read when tags are compared with them, and what has been read since. */
type Read = {
  readonly upTo: Cursor
  readonly fresh?: readonly BlockHeader[]
  readonly fork?: Cursor | undefined
}

/**
 * The tags of a head, compared with what is remembered unless that was done before for the same tags and no other
 * process has moved the cursor since.
 *
 * @throws {ChainUnavailable} where they name blocks other than those that were read.
 */
export async function readTags(
  needs: Pick<ScanNeeds, 'db' | 'chain'>,
  { trusted }: Pick<Pace, 'trusted'>,
  head: ChainHead,
  { upTo, fresh = [], fork }: Read,
): Promise<FinalityTags> {
  const isKnown = !fork && trusted?.upTo === upTo.hash && trusted.tags === nameOfTags(head)
  return readTrustedTags(needs, head, { fresh, fork, isKnown })
}

/** What two heads have in common of which the same is safe and final. */
export function nameOfTags({ safe, final }: ChainHead): string {
  return `${safe.hash} ${final.hash}`
}
