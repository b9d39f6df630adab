/** Returns the known name closest to `text`, or `undefined` if no typo explains the difference. */
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

const longest = 64

function plain(text: string): string {
  return text.toLowerCase().replace(/[_\-\s]/g, '')
}

/** Returns the edit distance. A swap of neighboring characters is one edit. */
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
