/** So many rows are written or asked for by one statement: a list of any length takes more of them, and none too long. */
export const mostInPart = 5_000

/** Does work on a list part by part, one after the other. */
export async function inParts<T>(
  list: readonly T[],
  work: (part: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < list.length; from += mostInPart) await work(list.slice(from, from + mostInPart))
}
