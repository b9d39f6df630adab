import type { Statement } from '../../../src/platform/database/statement.ts'

/** Counts duplicates in a statement's `= ANY` lists. The cost of such a list is quadratic. */
export function countRepeated({ text, values = [] }: Statement): number {
  const places = new Set([...text.matchAll(/= ANY\(\$(\d+)/g)].map(([, place]) => Number(place) - 1))
  const lists = [...places].flatMap((place) => {
    const value = values[place]
    return Array.isArray(value) ? [value] : []
  })
  return lists.reduce((sum, list) => sum + list.length - new Set(list).size, 0)
}
