/** The known name that `text` is most like, where a slip of the fingers may have made it; `undefined` elsewhere. */
export function nearestName(text: string, known: readonly string[]): string | undefined {
  const sought = plain(text.slice(0, longest))
  let best: { name: string; slips: number } | undefined
  for (const name of known) {
    const slips = countSlips(sought, plain(name))
    const isLike = slips <= Math.floor(Math.min(sought.length, name.length) / 3)
    if (isLike && (!best || slips < best.slips)) best = { name, slips }
  }
  return best?.name
}

/** No name of ours is longer: what is compared stays short whatever was sent. */
const longest = 64

function plain(text: string): string {
  return text.toLowerCase().replace(/[_\-\s]/g, '')
}

/** How many signs to put in, take out, change or swap with their neighbour make one text the other. */
function countSlips(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[before, last] = [last, row]
  }
  return last[b.length] ?? 0
}
