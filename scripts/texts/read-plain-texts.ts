import type { Kind, Text } from './text.ts'

const patterns: readonly RegExp[] = [
  // Comments of settings, units and compose files.
  /^\s*#+ ?(.*\p{Ll}{2}.*)$/u,
  // What an alert, a dashboard or a unit says.
  /^\s*-?\s*"?(?:summary|description|title|Description)"?\s*[:=]\s*(.*\p{Ll}{2}.*?),?$/u,
  // A text that a contract reverts with.
  /(?:require\(.*,|revert\()\s*("[^"]+")/,
]

/** The texts of a file that is no TypeScript, line by line: comments, titles, summaries and reverts. */
export function readPlainTexts(kind: Kind, path: string, content: string): Text[] {
  return content.split('\n').flatMap((line, i) => {
    const match = patterns.map((pattern) => pattern.exec(line)).find(Boolean)
    const text = match?.[1]?.replace(/^"|"$/g, '').trim()
    return text ? [{ kind, path, place: String(i + 1), text }] : []
  })
}
