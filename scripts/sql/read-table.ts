/** A key of a table: its columns in order and, for a foreign key, what they refer to. */
export type TableKey = {
  readonly kind: 'primary' | 'unique' | 'foreign'
  readonly columns: readonly string[]
  readonly refers?: readonly string[]
}

/** What a CREATE TABLE says, as far as the rules ask. */
export type Table = {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly keys: readonly TableKey[]
}

/** The table a statement creates, or `undefined` for any other statement. */
export function readTable(statement: string): Table | undefined {
  const match = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?"?(\w+)"?\s*\(([\s\S]*)\)[^)]*$/i.exec(
    statement,
  )
  if (!match) return undefined
  const [, name = '', inside = ''] = match
  const columns: { name: string; type: string }[] = []
  const keys: TableKey[] = []
  for (const part of splitTopLevel(inside)) {
    const own = readKeys(part)
    if (/^(CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|EXCLUDE|LIKE)\b/i.test(part)) {
      keys.push(...own)
      continue
    }
    const [, column = '', type = ''] = /^"?(\w+)"?\s+(\w+)/.exec(part) ?? []
    columns.push({ name: column, type: type.toLowerCase() })
    if (/\bPRIMARY KEY\b/i.test(part)) keys.push({ kind: 'primary', columns: [column] })
    if (/\bUNIQUE\b/i.test(part)) keys.push({ kind: 'unique', columns: [column] })
    const refers = /\bREFERENCES\s+\w+\s*(?:\(([^)]*)\))?/i.exec(part)
    if (refers) keys.push({ kind: 'foreign', columns: [column], refers: readNames(refers[1]) })
  }
  return { name, columns, keys }
}

/** The keys a constraint clause or an ALTER TABLE names with their columns in brackets. */
export function readKeys(text: string): TableKey[] {
  const keys: TableKey[] = []
  for (const [, columns] of text.matchAll(/\bPRIMARY KEY\s*\(([^)]*)\)/gi))
    keys.push({ kind: 'primary', columns: readNames(columns) })
  for (const [, columns] of text.matchAll(/\bUNIQUE\s*(?:NULLS NOT DISTINCT\s*)?\(([^)]*)\)/gi))
    keys.push({ kind: 'unique', columns: readNames(columns) })
  const foreign = /\bFOREIGN KEY\s*\(([^)]*)\)\s*REFERENCES\s+\w+\s*(?:\(([^)]*)\))?/gi
  for (const [, columns, refers] of text.matchAll(foreign))
    keys.push({ kind: 'foreign', columns: readNames(columns), refers: readNames(refers) })
  return keys
}

/** Names in a list of columns, without order or quotes: `a, "b" DESC` is `a` and `b`. */
export function readNames(list: string | undefined): string[] {
  return (list ?? '').split(',').flatMap((part) => /\w+/.exec(part)?.[0] ?? [])
}

function splitTopLevel(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')') depth--
    if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim()).filter(Boolean)
}
