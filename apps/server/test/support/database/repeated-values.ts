import type { Statement } from '../../../src/platform/database/statement.ts'

/**
 * How many values a statement compares rows with more than once, in lists that are gone over for every row: as many rows
 * beside as many of them are a square.
 */
export function countRepeated({ text, values = [] }: Statement): number {
  const places = new Set([...text.matchAll(/= ANY\(\$(\d+)/g)].map(([, place]) => Number(place) - 1))
  const lists = [...places].flatMap((place) => {
    const value = values[place]
    return Array.isArray(value) ? [value] : []
  })
  return lists.reduce((sum, list) => sum + list.length - new Set(list).size, 0)
}
