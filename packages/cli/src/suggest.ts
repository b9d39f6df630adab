export function suggest(given: string, known: readonly string[], prefix = ''): string | undefined {
  const [nearest] = known
    .map((word) => ({ word, distance: countEdits(given, word) }))
    .filter(({ word, distance }) => distance <= Math.max(1, word.length / 3))
    .sort((a, b) => a.distance - b.distance)
  return nearest && `Did you mean '${prefix}${nearest.word}'?`
}

/** Levenshtein distance. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, character] of [...from].entries()) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (character === to[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
