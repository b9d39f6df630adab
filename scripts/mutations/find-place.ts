import type { Declaration } from '../source/list-declarations.ts'
import type { Mutation } from './mutation.ts'

/** Where a mutation breaks what: the text from `start` to `end` of the file gives way to its `replace`. */
export type Place = { readonly path: string; readonly start: number; readonly end: number }

/** The sources that can be broken, read once. */
export type Sources = {
  readonly texts: ReadonlyMap<string, string>
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>
}

/** The one place that a mutation means, or why there is none or more than one. */
export function findPlace(
  { texts, declarations }: Sources,
  mutation: Pick<Mutation, 'in' | 'beside' | 'find'>,
): Place | string {
  const neighbours = mutation.beside === undefined ? undefined : (declarations.get(mutation.beside) ?? [])
  const named = (declarations.get(mutation.in) ?? []).filter(
    ({ path }) => !neighbours || neighbours.some((other) => other.path === path),
  )
  if (named.length === 0)
    return `nothing is called ${mutation.in}${mutation.beside ? ` beside ${mutation.beside}` : ''}`
  const pattern = looseSpaces(mutation.find)
  const places = named.flatMap(({ path, start, end }) =>
    [...(texts.get(path) ?? '').slice(start, end).matchAll(pattern)].map(({ 0: text, index }) => ({
      path,
      start: start + index,
      end: start + index + text.length,
    })),
  )
  const [place] = places
  if (place && places.length === 1) return place
  return `${mutation.in} has its text ${places.length} times: ${JSON.stringify(mutation.find)}`
}

function looseSpaces(text: string): RegExp {
  const words = text.trim().split(/\s+/)
  return new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'), 'g')
}
