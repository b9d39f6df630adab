/**
 * Finds by bisection the blocks above `from`, up to `to`, in which a value changed, and the changes.
 *
 * A range with the same value at both ends counts as unchanged.
 *
 * @param valueAt - Returns the value after a block.
 */
export async function findSteps(
  from: bigint,
  to: bigint,
  valueAt: (block: bigint) => Promise<bigint>,
): Promise<{ block: bigint; change: bigint }[]> {
  const search = async (
    low: bigint,
    before: bigint,
    high: bigint,
    after: bigint,
  ): Promise<{ block: bigint; change: bigint }[]> => {
    if (before === after) return []
    if (high === low + 1n) return [{ block: high, change: after - before }]
    const middle = (low + high) / 2n
    const between = await valueAt(middle)
    return [...(await search(low, before, middle, between)), ...(await search(middle, between, high, after))]
  }
  if (to <= from) return []
  return search(from, await valueAt(from), to, await valueAt(to))
}
