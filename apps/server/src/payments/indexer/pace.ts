/** How far the watcher goes in one step. Of use to one process, and to be lost at any time. */
export type Pace = { blockCount: bigint }

/** Three batches of headers, which with the logs are as many requests as an endpoint is sent at once. */
const mostBlocks = 300n
/** A block with its transactions is some hundred kilobytes. */
const mostWithTransactions = 100n
const leastReplaced = 10n
/** One transaction of the database holds what one step brings. */
const movementsPerStep = 2_000

/** The pace of a watcher that knows nothing yet. */
export function newPace(): Pace {
  return { blockCount: mostBlocks }
}

/**
 * How many blocks the next step takes. Where a few were replaced it takes as many of the new ones at least, also after
 * steps that failed: what they include again was then never away.
 */
export function spanOf(
  { blockCount }: Pace,
  { lost, withTransactions }: { readonly lost: bigint; readonly withTransactions: boolean },
): bigint {
  const span = withTransactions ? smaller(blockCount, mostWithTransactions) : blockCount
  const least = smaller(lost, leastReplaced)
  return span > least ? span : least
}

/** After a step that failed: half of it next time, down to a single block. */
export function slowDown(pace: Pace): void {
  const half = smaller(pace.blockCount, mostWithTransactions) / 2n
  pace.blockCount = half > 0n ? half : 1n
}

/**
 * Whether a step over so many blocks takes what they brought. If not, the next one goes half as far; else twice as far,
 * unless they brought as much as a step should.
 */
export function isTaken(pace: Pace, blockCount: number, movementCount: number): boolean {
  if (movementCount > movementsPerStep && blockCount > 1) {
    pace.blockCount = BigInt(blockCount) / 2n
    return false
  }
  if (movementCount <= movementsPerStep / 2) pace.blockCount = smaller(pace.blockCount * 2n, mostBlocks)
  return true
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
