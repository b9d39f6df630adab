export type Pace = { blockCount: bigint }

/** Three batches of headers, the number that one call sends concurrently. */
const mostBlocks = 300n
const mostWithTransactions = 100n
const leastReplaced = 10n
const movementsPerStep = 2_000

export function newPace(): Pace {
  return { blockCount: mostBlocks }
}

/**
 * Returns the block count of the next step. One step covers the new blocks of a reorg of up to ten blocks, so
 * that a re-included payment is not orphaned in between.
 */
export function spanOf(
  { blockCount }: Pace,
  { lost, withTransactions }: { readonly lost: bigint; readonly withTransactions: boolean },
): bigint {
  const span = withTransactions ? smaller(blockCount, mostWithTransactions) : blockCount
  const least = smaller(lost, leastReplaced)
  return span > least ? span : least
}

export function slowDown(pace: Pace): void {
  const half = smaller(pace.blockCount, mostWithTransactions) / 2n
  pace.blockCount = half > 0n ? half : 1n
}

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
