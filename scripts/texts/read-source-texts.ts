import { isNode, lineAt, type Node, type Source } from '../source/parse-source.ts'
import type { Kind, Text } from './text.ts'

/**
 * Every text in a TypeScript file that reads as prose, with its kind.
 *
 * Prose is two words or more; in the place of a message (an error, a refusal, a log line) one word is enough.
 * Holes of templates read `{…}`. SQL, CSS, imports and types are left out.
 */
export function readSourceTexts(source: Source): Text[] {
  const found: Text[] = []
  const add = (node: Node, text: string, kind: Kind) => {
    const line = String(lineAt(source.text, node.start))
    for (const part of text.split(/\n\s*\n/)) {
      const trimmed = part.replace(/\s+/g, ' ').trim()
      if (trimmed) found.push({ kind, path: source.path, place: line, text: trimmed })
    }
  }
  const visit = (value: unknown, context: Context): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, context)
      return
    }
    if (!isNode(value) || isSkipped(value)) return
    if (value.type === 'TaggedTemplateExpression') {
      const tag = isNode(value.tag) ? value.tag.name : undefined
      const quasi = value.quasi as Node
      if (tag === 'html') for (const text of textsOfHtml(joinTemplate(quasi))) add(value, text, 'page')
      visit(quasi.expressions, context)
      return
    }
    const text = readText(value)
    if (text !== undefined) {
      const isText = context.isMessage ? /\p{L}{2}/u.test(text) : isProse(text, source.path)
      if (isText) add(value, text, context.kind ?? kindOfPath(source.path))
      for (const hole of holesOf(value)) visit(hole, { ...context, isMessage: false })
      return
    }
    if (value.type === 'Property') {
      visit(value.value, contextOfProperty(value, context))
      return
    }
    for (const [field, child] of Object.entries(value)) {
      visit(child, field === 'arguments' ? contextOfCall(value, context) : context)
    }
  }
  visit(source.body, { isMessage: false })
  return found
}

/** What the place of a text says of it. */
type Context = { readonly isMessage: boolean; readonly kind?: Kind | undefined }

const skippedTypes = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ImportExpression'])

function isSkipped({ type }: Node): boolean {
  return skippedTypes.has(type) || type.startsWith('TSType') || type.startsWith('TSInterface')
}

function contextOfCall({ callee }: Node, context: Context): Context {
  if (!isNode(callee)) return context
  const name = nameOf(callee)
  const owner = isNode(callee.object) ? nameOf(callee.object) : ''
  if (name === 'Refusal' || name === 'invalidInput') return { isMessage: false, kind: 'refusal' }
  if (/^#?log$/.test(owner) && /^(trace|debug|info|warn|error|fatal)$/.test(name)) {
    return { isMessage: true, kind: 'log' }
  }
  return context
}

const messageFields = new Set(['message', 'summary', 'description', 'hint', 'help'])

function contextOfProperty({ key }: Node, context: Context): Context {
  const name = isNode(key) ? nameOf(key) : ''
  return messageFields.has(name) ? { ...context, isMessage: true } : context
}

function nameOf(node: Node): string {
  const own = node.type === 'MemberExpression' ? node.property : node
  const name = isNode(own) ? (own.name ?? own.value) : ''
  return typeof name === 'string' ? name : ''
}

/** The kind of a text that no call tells. */
function kindOfPath(path: string): Kind {
  const [, kind] = kindsOfPaths.find(([pattern]) => pattern.test(path)) ?? []
  return kind ?? 'message'
}

const kindsOfPaths: readonly (readonly [RegExp, Kind])[] = [
  [/^apps\/cli\//, 'cli'],
  [/^packages\/sdk\/src\//, 'sdk'],
  [/^packages\/protocol\/src\/failure-catalogue/, 'failure'],
  [/^packages\/protocol\/src\/api\//, 'openapi'],
  [/^(scripts|contracts|packages)\//, 'script'],
  [/^apps\/server\/src\/pages\//, 'page'],
  [/^apps\/server\/src\/platform\/settings\//, 'setting'],
  [/^apps\/server\/src\/(local\/|[^/]+$)/, 'start'],
  [/^apps\/server\/src\/app\/openapi\/|routes\.ts$/, 'openapi'],
  [/^apps\/server\/src\/app\/probes\//, 'probe'],
]

/** The text of an expression that is nothing but text; `undefined` for any other. */
function readText(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'TemplateLiteral') return joinTemplate(node)
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined
  const [left, right] = [readText(node.left as Node), readText(node.right as Node)]
  if (left === undefined && right === undefined) return undefined
  return `${left ?? '{…}'}${right ?? '{…}'}`
}

function joinTemplate({ quasis }: Node): string {
  return (quasis as Node[]).map((quasi) => (quasi.value as { cooked: string }).cooked).join('{…}')
}

function holesOf(node: Node): Node[] {
  if (node.type === 'TemplateLiteral') return node.expressions as Node[]
  if (node.type !== 'BinaryExpression') return []
  return [node.left as Node, node.right as Node].flatMap((side) =>
    readText(side) === undefined ? [side] : holesOf(side),
  )
}

const sql =
  /^\s*(--|\(?(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|LOCK|SET|BEGIN|FROM|WHERE|AND|OR|ORDER|GROUP|ON|LISTEN|NOTIFY|TRUNCATE|ROLLBACK|SAVEPOINT|RELEASE|VALUES|RETURNING|LIMIT|JOIN|LEFT|DO|FOR|DROP|VACUUM|UNION|COALESCE|EXISTS|NOT)\b)/

function isProse(text: string, path: string): boolean {
  if (sql.test(text) && !/[a-z]{2}\. [A-Z]/.test(text)) return false
  const words = text.replaceAll('{…}', ' ')
  if (/(^|[\s(“‘'"`])\p{L}[\p{L}'’-]+[,:;.]? \p{L}?[\p{L}'’-]*/u.test(words) && /\p{Ll}{2}/u.test(words))
    return true
  return /\/src\/pages\//.test(path) && /^\p{Lu}\p{Ll}{2,}[.…]?$/u.test(text)
}

const shownAttributes = /\b(?:aria-label|alt|title|placeholder|content|data-at\d+)="([^"]*\p{L}{2}[^"]*)"/gu

/** The texts of a piece of HTML: between tags, and in the attributes that are shown or read out. */
function textsOfHtml(piece: string): string[] {
  const attributes = [...piece.matchAll(shownAttributes)].map(([, text]) => text ?? '')
  const between = piece
    .replace(/<(style|script)\b[^>]*>[\s\S]*?<\/\1>/g, '\n\n')
    .split(/<\/?(?!strong|span|time|a\b|abbr|code)[^>]*>/)
  const texts = between.map((text) => text.replace(/<[^>]*>/g, '').trim())
  return [...texts, ...attributes].filter((text) => /\p{L}{2}/u.test(text.replaceAll('{…}', '')))
}
