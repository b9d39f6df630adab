import MiniSearch from 'minisearch'
import type { Guide } from './read-guides.ts'

export type GuideHit = {
  /** URL with the section's anchor. */
  readonly address: string
  readonly title: string
  readonly heading: string
  readonly excerpt: string
}

/** Longer queries are truncated. */
export const maxQueryLength = 100
const maxTerms = 12
const maxHits = 10

type Entry = {
  readonly id: string
  readonly path: string
  readonly title: string
  readonly summary: string
  readonly heading: string
  readonly text: string
}

export type SearchGuides = (query: string) => readonly GuideHit[]

/**
 * Indexes the sections of the guides, in small steps between other requests.
 *
 * A search takes at most a few milliseconds, and returns each page once.
 */
export async function indexGuides(guides: readonly Guide[]): Promise<SearchGuides> {
  const index = new MiniSearch<Entry>({
    fields: ['title', 'summary', 'heading', 'text'],
    processTerm: (term) => (stopWords.has(term.toLowerCase()) ? null : stem(term.toLowerCase())),
  })
  const entries = new Map<string, Entry>()
  for (const { path, title, summary, sections } of guides)
    for (const { anchor, heading, text } of sections) {
      const id = `/docs/${path}${anchor && `#${anchor}`}`
      entries.set(id, { id, path, title, summary: anchor ? '' : summary, heading, text })
    }
  await index.addAllAsync([...entries.values()], { chunkSize: 20 })
  return (query) => {
    const terms = query.slice(0, maxQueryLength).match(/[\p{L}\p{N}_]+/gu) ?? []
    const found = index.search(terms.slice(0, maxTerms).join(' '), {
      boost: { title: 3, summary: 2, heading: 3 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 1 : false),
      weights: { prefix: 0.4, fuzzy: 0.2 },
    })
    const hits = new Map<string, GuideHit>()
    for (const { id, terms } of found) {
      const entry = entries.get(id)
      if (!entry || hits.has(entry.path)) continue
      const { path, title, heading, text } = entry
      hits.set(path, { address: id, title, heading, excerpt: excerptOf(text, terms) })
      if (hits.size === maxHits) break
    }
    return [...hits.values()]
  }
}

const stopWords = new Set(
  'a an and are be by can do does for from how i if in is it me my of on or our the there to was what when where which who will with you your'.split(
    ' ',
  ),
)

/** Removes plural and verb endings, so that `refunded` finds `refunds`. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word.replace(/s$/, '')
}

const excerptLength = 180

/** Returns an excerpt that begins shortly before the first search term. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const start = first < 60 ? 0 : text.lastIndexOf(' ', first - 40) + 1
  const cut = text.slice(start, start + excerptLength)
  const end = start + excerptLength < text.length ? cut.lastIndexOf(' ') : cut.length
  return `${start > 0 ? '… ' : ''}${cut.slice(0, end).trim()}${end < cut.length ? ' …' : ''}`
}
