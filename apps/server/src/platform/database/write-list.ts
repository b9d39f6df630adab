import type { SqlValue } from './columns.ts'

/**
 * A list in the text form of PostgreSQL's arrays, as the driver would write it, which searches and replaces in each text
 * twice.
 */
export function writeList(list: readonly SqlValue[]): string {
  let written = ''
  for (const value of list) written += written === '' ? writeItem(value) : `,${writeItem(value)}`
  return `{${written}}`
}

function writeItem(value: SqlValue): string {
  if (typeof value === 'string') return quote(value)
  if (value === null || value === undefined) return 'NULL'
  if (typeof value !== 'object') return String(value)
  return value instanceof Uint8Array ? quote(`\\x${Buffer.from(value).toString('hex')}`) : writeList(value)
}

/**
 * Only quotes and backslashes mean something within quotes. JSON escapes those in the same way and, at a third of the
 * time, is written by the engine; what it would escape beside them is escaped by hand.
 */
function quote(text: string): string {
  if (!(text.includes('"') || text.includes('\\'))) return `"${text}"`
  const isOtherwiseEqual = !hasControls.test(text) && text.isWellFormed()
  return isOtherwiseEqual ? JSON.stringify(text) : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const hasControls = /[\0-\x1f]/
