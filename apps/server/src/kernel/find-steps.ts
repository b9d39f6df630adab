/**
 * The blocks above `from` and up to `to` in which a value became another, with how much it changed. By halving: a
 * stretch at whose ends it is the same counts as one in which it did not change.
 *
 * @param valueAt - The value once a block is done.
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
