import { cursorNames } from '../../platform/jobs/names.ts'
import type { ChainState, CursorState } from './state-store.ts'

/** How far a reader of the chain is behind what it could have read, and whether that is more than its period explains. */
export type ReaderLag = {
  readonly name: string
  readonly ok: boolean
  readonly lagBlocks: number
  /** Of the chain's time. */
  readonly lagSeconds: number
  /** From then on it is late; in blocks or in seconds, as it is judged. */
  readonly lateAfter: { readonly blocks: number } | { readonly seconds: number } | undefined
}

const hour = 3_600

/**
 * What each reader is measured by. Those that follow the chain may be some blocks behind the newest block they
 * read; those that look now and then may be their period behind, and the time that a look takes.
 */
const readers: Readonly<
  Record<string, { readonly reads: 'latest' | 'final' } & ({ blocks: number } | { seconds: number })>
> = {
  [cursorNames.transfers]: { reads: 'latest', blocks: 300 },
  [cursorNames.distributions]: { reads: 'final', blocks: 300 },
  // It follows the two above, and reads everything once more.
  [cursorNames.comparison]: { reads: 'final', blocks: 1_000 },
  [cursorNames.closed]: { reads: 'final', seconds: 2 * hour },
  [cursorNames.old]: { reads: 'final', seconds: 26 * hour },
}

/** The lag of each reader by its own period. Pure. One that is not known here is shown and not judged. */
export function judgeReaders({ head, finalBlockAt, newestBlockAt, cursors }: ChainState): ReaderLag[] {
  if (!head) return []
  return cursors.map((cursor: CursorState) => {
    const reader = readers[cursor.name]
    const isLatest = reader?.reads === 'latest'
    const lagBlocks = Number(above(isLatest ? head.latest : head.final, cursor.number))
    const readableAt = isLatest ? newestBlockAt : finalBlockAt
    const lagSeconds =
      readableAt === undefined ? 0 : Math.round(Math.max(0, readableAt - cursor.blockAt) / 1000)
    const { name } = cursor
    if (!reader) return { name, ok: true, lagBlocks, lagSeconds, lateAfter: undefined }
    return 'blocks' in reader
      ? { name, ok: lagBlocks <= reader.blocks, lagBlocks, lagSeconds, lateAfter: { blocks: reader.blocks } }
      : {
          name,
          // No block to read is no lag, however long the last look is ago.
          ok: lagBlocks === 0 || lagSeconds <= reader.seconds,
          lagBlocks,
          lagSeconds,
          lateAfter: { seconds: reader.seconds },
        }
  })
}

function above(height: bigint, cursor: bigint): bigint {
  return height > cursor ? height - cursor : 0n
}
