import type { Text } from './text.ts'

/** The headings of a document, each with the first line below it. Code is left out. */
export function readMarkdownTexts(path: string, markdown: string): Text[] {
  const found: Text[] = []
  const lines = markdown.split('\n')
  let isCode = false
  let isAwaited = false
  for (const [i, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    else if (!isCode && (/^#+ /.test(line) || (isAwaited && line.trim()))) {
      isAwaited = line.startsWith('#')
      found.push({ kind: 'doc', path, place: String(i + 1), text: line.trim() })
    }
  }
  return found
}
