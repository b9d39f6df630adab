import type { Text } from './text.ts'

const shown = new Set(['summary', 'description', 'title'])

/** Every summary, description and title of the API's document, with its place in it. */
export function readDocumentTexts(path: string, document: object): Text[] {
  const found = new Map<string, Text>()
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, child] of Object.entries(value)) {
      if (/^(example|default|const|enum|x-)/.test(name)) continue
      const next = `${place}/${name}`
      // A text that many operations share is read once, where it stands first.
      if (shown.has(name) && typeof child === 'string' && !found.has(child)) {
        found.set(child, { kind: 'openapi', path, place: next, text: child })
      } else visit(child, next)
    }
  }
  visit(document, '')
  return [...found.values()]
}
